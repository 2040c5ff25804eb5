// The relationships of an Open XML document: what its parts load, from the document itself or from elsewhere.
import { RejectedFileError } from './accepted-kinds.ts'

const MAX_LENGTH = 64 * 1024

/** Ends of types: macros, ActiveX controls, macro sheets, embedded objects, and imported documents of other formats. */
const ACTIVE_TYPE =
  /vbaProject|wordVbaData|\/(?:oleObject|control|activeXControlBinary|xl(?:Intl)?Macrosheet|aFChunk|subDocument|frame)$/i
/** An embedded document. */
const PACKAGE_TYPE = /\/package$/i
const PACKAGE_TARGET = /\.(?:docx|xlsx|pptx)$/i
/** Word loads this template, macros included. Many documents name one on a disk of their author's computer. */
const TEMPLATE_TYPE = /attachedTemplate$/i
/** What a document may link to: addresses, and other workbooks, which Excel asks about. */
const LINK_TYPE = /\/(?:hyperlink|externalLink\w*|xlExternalLinkPath\/\w+|xlPathMissing|xlStartup)$/i
/** What it shows or merges, from the web or the computer. A file share would learn the password hash of the reader. */
const MEDIA_TYPE = /\/(?:image|video|audio|media|mailMerge\w*|recipientData)$/i
const WEB_TARGET = /^https?:\/\//i
const LOCAL_TARGET = /^(?:[a-z]:[\\/]|file:\/\/(?:localhost)?\/[\w\u00a0-\uffff])(?!.*(?:\.\.|\?))/i
const RELATIVE_TARGET = /^[\w\u00a0-\uffff][^:\\]*$/

const damaged = () => new RejectedFileError('It is no intact office document.')

/** Checks one tag of the XML. */
export function checkRelationship(tag: string): void {
  // An entity could hide what is looked for below, and so could another encoding.
  if (tag.startsWith('<!') || tag.length > MAX_LENGTH) throw damaged()
  if (tag.startsWith('<?') && /encoding\s*=\s*["'](?!utf-8["'])/i.test(tag)) throw damaged()
  const attributes = new Map<string, string>()
  for (const [, name = '', quoted = ''] of tag.matchAll(/([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')/g)) {
    if (attributes.has(name)) throw damaged()
    attributes.set(name, quoted.slice(1, -1).trim())
  }
  const type = attributes.get('Type')
  if (type !== undefined)
    checkTarget(type, attributes.get('Target') ?? '', attributes.get('TargetMode') ?? 'Internal')
}

function checkTarget(type: string, target: string, mode: string): void {
  if (
    type.includes('&') ||
    ACTIVE_TYPE.test(type) ||
    (PACKAGE_TYPE.test(type) && !PACKAGE_TARGET.test(target))
  )
    throw new RejectedFileError('It has macros or embedded objects.')
  if (TEMPLATE_TYPE.test(type) && !LOCAL_TARGET.test(target))
    throw new RejectedFileError('It loads a template from another computer.')
  if (mode === 'Internal') return
  if (mode !== 'External') throw damaged()
  if (TEMPLATE_TYPE.test(type) || LINK_TYPE.test(type)) return
  const isShown =
    MEDIA_TYPE.test(type) && [WEB_TARGET, LOCAL_TARGET, RELATIVE_TARGET].some(known => known.test(target))
  if (!isShown) throw new RejectedFileError('It loads content from another computer.')
}
