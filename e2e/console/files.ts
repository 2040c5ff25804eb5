// Files for tests.
import type { JSHandle, Page } from 'playwright-core'

/** A PDF of one page with this text. */
export const pdf = (text: string): Buffer =>
  pdfOf(`BT /F1 24 Tf 72 700 Td (${text}) Tj ET`, {
    resource: '/Font << /F1 5 0 R >>',
    objects: ['<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'],
  })

/** A PDF of one page that is a black image, compressed as scanners do. */
export function scannedPdf(filter: keyof typeof SCANS): Buffer {
  const { data, settings } = SCANS[filter]
  const stream = Buffer.from(data, 'base64').toString('latin1')
  const image = `<< /Type /XObject /Subtype /Image /Width 16 /Height 16 /Filter /${filter} ${settings} /Length ${stream.length} >>`
  return pdfOf('q 612 0 0 792 0 0 cm /I1 Do Q', {
    resource: '/XObject << /I1 5 0 R >>',
    objects: [`${image}\nstream\n${stream}\nendstream`],
  })
}

const SCANS = {
  CCITTFaxDecode: {
    data: 'JqC/////4AIAIA==',
    settings: '/ColorSpace /DeviceGray /BitsPerComponent 1 /DecodeParms << /K -1 /Columns 16 /Rows 16 >>',
  },
  JPXDecode: {
    data: '/0//UQApAAAAAAAQAAAAEAAAAAAAAAAAAAAAEAAAABAAAAAAAAAAAAABBwEB/1IADAAAAAEAAAQEAAH/XAAEQED/ZAAlAAFDcmVhdGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjD/kAAKAAAAAAAYAAH/k9+AOBFQVK/0yH//2Q==',
    settings: '',
  },
}

/** A PDF of one page whose text is of an Asian font that the file does not contain. */
export const asianPdf = (): Buffer =>
  pdfOf('BT /F1 24 Tf 72 700 Td <62A47167> Tj ET', {
    resource: '/Font << /F1 5 0 R >>',
    objects: [
      '<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [6 0 R] >>',
      '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>',
    ],
  })

/** The first of the objects has the number 5. */
function pdfOf(
  content: string,
  { resource, objects: further }: { resource: string; objects: string[] },
): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << ${resource} >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ...further,
  ]
  let body = '%PDF-1.7\n'
  const offsets = objects.map((object, index) => {
    const offset = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const start = body.length
  const rows = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`
  body += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(body, 'latin1')
}

/** What a drag of this file carries: the `dataTransfer` of its events. */
export const draggedFile = (page: Page, name: string, content: Buffer): Promise<JSHandle<object>> =>
  page.evaluateHandle(
    ({ text, name }) => {
      const { DataTransfer, File } = globalThis as unknown as {
        DataTransfer: new () => { items: { add(file: object): void } }
        File: new (parts: string[], name: string, options: object) => object
      }
      const transfer = new DataTransfer()
      transfer.items.add(new File([text], name, { type: 'application/pdf' }))
      return transfer
    },
    { text: content.toString(), name },
  )
