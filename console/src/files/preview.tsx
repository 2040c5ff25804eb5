// A file, as far as browsers and pdf.js can show it. pdf.js is loaded with the first PDF.
import { ActionIcon, Button, Center, Group, Loader, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { PDFDocumentLoadingTask, PDFDocumentProxy } from 'pdfjs-dist'
import { useEffect, useRef, useState } from 'react'
import { caseport } from '../app/connection.ts'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import { servicePath } from '../app/page.ts'
import { EmptyState, ErrorState, Message } from '../app/states.tsx'

interface PreviewProps {
  documentId: string
  /** One version of the file, instead of the present one. */
  fileVersion?: number
  /** When the document was changed: the present file may be another one then. */
  updatedAt?: string
  name: string
  contentType: string | null
}

const IMAGES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/bmp'])

export const hasPreview = (contentType: string | null): boolean =>
  contentType === 'application/pdf' || IMAGES.has(contentType ?? '') || contentType === 'text/plain'

const pathOf = (documentId: string, fileVersion: number | undefined) =>
  fileVersion === undefined
    ? `/v2/document/${encodeURIComponent(documentId)}/file`
    : `/admin/v1/documents/${encodeURIComponent(documentId)}/files/${fileVersion}`

export function FilePreview({ documentId, fileVersion, updatedAt, name, contentType }: PreviewProps) {
  const { t } = useTexts()
  const isShown = hasPreview(contentType)
  const {
    data: blob,
    error,
    refetch,
  } = useQuery({
    queryKey: ['file', documentId, fileVersion, updatedAt],
    async queryFn({ signal }) {
      const file =
        fileVersion === undefined
          ? await caseport.documents.download(documentId, { signal })
          : await caseport.documents.downloadVersion(documentId, fileVersion, { signal })
      return file.blob()
    },
    enabled: isShown,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
  return (
    <section className="preview" aria-label={t('preview.title', { name })}>
      <Group justify="space-between" wrap="nowrap" className="preview-head">
        <Text size="sm" fw={600} truncate>
          {name}
        </Text>
        <Button
          component="a"
          href={`${servicePath}${pathOf(documentId, fileVersion)}`}
          download={name}
          size="compact-sm"
          variant="default"
          leftSection={<Icon name="download" size={15} />}
        >
          {t('preview.download')}
        </Button>
      </Group>
      {!isShown ? (
        <EmptyState icon="document" title={t('preview.none')} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !blob ? (
        <Center mih={240} role="status" aria-label={t('state.loading')}>
          <Loader size="sm" />
        </Center>
      ) : contentType === 'application/pdf' ? (
        <PdfPreview blob={blob} />
      ) : contentType === 'text/plain' ? (
        <TextPreview blob={blob} />
      ) : (
        <ImagePreview blob={blob} name={name} />
      )}
    </section>
  )
}

/** The file was read, but is not what its kind says, or is protected by a password. */
function Unreadable() {
  const { t } = useTexts()
  return (
    <Message icon="alert" title={t('preview.unreadable')} isError>
      {t('preview.unreadableHelp')}
    </Message>
  )
}

function ImagePreview({ blob, name }: { blob: Blob; name: string }) {
  const [url, setUrl] = useState<string>()
  const [isUnreadable, setUnreadable] = useState(false)
  useEffect(() => {
    const created = URL.createObjectURL(blob)
    setUrl(created)
    setUnreadable(false)
    return () => URL.revokeObjectURL(created)
  }, [blob])
  if (isUnreadable) return <Unreadable />
  return (
    <div className="preview-body">
      {url && <img src={url} alt={name} className="preview-image" onError={() => setUnreadable(true)} />}
    </div>
  )
}

function TextPreview({ blob }: { blob: Blob }) {
  const [text, setText] = useState('')
  useEffect(() => {
    let isCurrent = true
    void blob.text().then(read => isCurrent && setText(read))
    return () => {
      isCurrent = false
    }
  }, [blob])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <pre className="preview-body preview-text" tabIndex={0}>
      {text}
    </pre>
  )
}

/** Destroying the task ends its worker, and frees the bytes. */
async function openPdf(blob: Blob): Promise<PDFDocumentLoadingTask> {
  const [pdf, { default: workerUrl }] = await Promise.all([
    import('pdfjs-dist'),
    import('pdfjs-dist/build/pdf.worker.min.mjs?url'),
  ])
  pdf.GlobalWorkerOptions.workerSrc = workerUrl
  const data = new Uint8Array(await blob.arrayBuffer())
  const files = new URL(`pdfjs-${pdf.version}/`, new URL(workerUrl, document.baseURI)).href
  // The policy of the page allows no WebAssembly: decoders are scripts.
  return pdf.getDocument({ data, wasmUrl: files, useWasm: false, cMapUrl: files, enableXfa: false })
}

function PdfPreview({ blob }: { blob: Blob }) {
  const { t } = useTexts()
  const canvas = useRef<HTMLCanvasElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const [document, setDocument] = useState<PDFDocumentProxy>()
  const [isUnreadable, setUnreadable] = useState(false)
  const [page, setPage] = useState(1)

  useEffect(() => {
    const opened = openPdf(blob)
    let isCurrent = true
    setPage(1)
    setUnreadable(false)
    opened
      .then(task => task.promise)
      .then(
        found => isCurrent && setDocument(found),
        () => isCurrent && setUnreadable(true),
      )
    return () => {
      isCurrent = false
      setDocument(undefined)
      opened.then(task => task.destroy()).catch(() => undefined)
    }
  }, [blob])

  useEffect(() => {
    if (!document || !canvas.current || !body.current) return
    const element = canvas.current
    const width = body.current.clientWidth - 24
    let cancel = () => {}
    let isCurrent = true
    void document.getPage(page).then(
      found => {
        if (!isCurrent) return
        const scale = (width / found.getViewport({ scale: 1 }).width) * window.devicePixelRatio
        const viewport = found.getViewport({ scale })
        element.width = viewport.width
        element.height = viewport.height
        const task = found.render({ canvas: element, viewport })
        cancel = () => task.cancel()
        task.promise.catch((cause: Error) => {
          if (isCurrent && cause.name !== 'RenderingCancelledException') setUnreadable(true)
        })
      },
      // A file that is closed meanwhile is not damaged.
      () => isCurrent && setUnreadable(true),
    )
    return () => {
      isCurrent = false
      cancel()
    }
  }, [document, page])

  if (isUnreadable) return <Unreadable />
  const pages = document?.numPages ?? 1
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div className="preview-body" ref={body} tabIndex={0}>
        <canvas
          ref={canvas}
          className="preview-page"
          role="img"
          aria-label={t('preview.page', { page, pages })}
        />
      </div>
      {pages > 1 && (
        <Group justify="center" gap="xs" py={6}>
          <ActionIcon
            variant="default"
            disabled={page <= 1}
            onClick={() => setPage(page - 1)}
            aria-label={t('preview.previous')}
          >
            <Icon name="arrowLeft" size={16} />
          </ActionIcon>
          <Text size="sm" role="status">
            {t('preview.page', { page, pages })}
          </Text>
          <ActionIcon
            variant="default"
            disabled={page >= pages}
            onClick={() => setPage(page + 1)}
            aria-label={t('preview.next')}
          >
            <Icon name="chevronRight" size={16} />
          </ActionIcon>
        </Group>
      )}
    </>
  )
}
