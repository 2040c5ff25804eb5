// Files for tests.
import type { JSHandle, Page } from 'playwright-core'

/** A PDF of one page with this text. */
export function pdf(text: string): Buffer {
  const content = `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
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
  return Buffer.from(body)
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
