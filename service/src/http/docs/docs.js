// Sets Scalar up. Everything that would reach another origin is off; the Content-Security-Policy forbids it as well.

// Must be set before the bundle runs: the validator inside it would try eval, and the policy would report that.
globalThis.__zod_globalConfig = { jitless: true }

/** The `type` of a problem document is `/docs#error-<code>`. */
const errorOf = hash => /^#error-([a-z-]+)$/.exec(hash)?.[1]
const requestedError = errorOf(location.hash)
addEventListener('hashchange', () => errorOf(location.hash) && location.reload())

/** Shows `x-errors` of the OpenAPI document, which Scalar does not. The one that was asked for comes first. */
class ErrorList extends HTMLElement {
  async connectedCallback() {
    const response = await fetch('/openapi.json')
    const { 'x-errors': errors } = await response.json()
    const [requested, others] = [true, false].map(wanted =>
      errors.filter(({ code }) => (code === requestedError) === wanted),
    )
    this.replaceChildren(element('h2', {}, 'Errors'), ...[...requested, ...others].map(describeError))
  }
}

function describeError({ code, status, title, remedy }) {
  return element(
    'section',
    { id: `error-${code}`, 'data-requested': code === requestedError },
    element('h3', {}, element('code', {}, code), element('span', {}, status)),
    element('p', {}, title),
    element('p', {}, remedy),
  )
}

function element(name, attributes, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

customElements.define('error-list', ErrorList)

const configuration = {
  url: '/openapi.json',
  documentDownloadType: 'direct',
  // Each operation offers what it needs of these: a token, or a token and an API key.
  authentication: { preferredSecurityScheme: ['oauth2', ['oauth2', 'apiKey']] },
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  redirect: () => (requestedError ? '#plugin-view/errors/content.end/0' : undefined),
  plugins: [
    () => ({
      name: 'errors',
      extensions: [],
      views: { 'content.end': [{ component: 'error-list', sidebar: { show: true, label: 'Errors' } }] },
    }),
  ],
}

// Scripts that are deferred, as the bundle is, have run by then.
document.addEventListener('DOMContentLoaded', () =>
  window.Scalar.createApiReference('#reference', configuration),
)
