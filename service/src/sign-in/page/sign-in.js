// Sends the forms of the sign-in page to the API, and shows what comes next. Addresses are relative, because a proxy may serve
// the page below another path.
const find = id => document.getElementById(id)
let challenge
let passkeyOptions

function show(text) {
  const message = find('message')
  message.textContent = text
  if (text) message.focus()
}

/** Sends JSON; throws an error with the text of the problem document. */
async function send(method, path, body) {
  const response = await fetch(`auth/v1/${path}`, {
    method,
    headers: body ? { 'content-type': 'application/json' } : {},
    ...(body && { body: JSON.stringify(body) }),
  })
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  const result = isJson ? await response.json() : undefined
  if (response.ok) return { status: response.status, result }
  const details = (result?.errors ?? []).map(({ detail }) => detail)
  throw new Error([result?.detail ?? 'The service does not respond.', ...details].join(' '))
}

/** Runs the work of a button or form, and shows its error. */
async function run(work) {
  show('')
  try {
    await work()
  } catch (error) {
    show(error.name === 'NotAllowedError' ? 'The passkey was not used.' : error.message)
  }
}

function onSubmit(id, work) {
  find(id)?.addEventListener('submit', event => {
    event.preventDefault()
    void run(() => work(Object.fromEntries(new FormData(event.target))))
  })
}
const onClick = (id, work) => find(id)?.addEventListener('click', () => void run(work))

/** After a step of a sign-in: the page of the person, or the next step. */
function proceed({ status, result }) {
  if (status === 201) {
    // Without the query: it has the token of the invitation.
    location.replace(location.pathname)
    return
  }
  challenge = result.challenge
  passkeyOptions = result.passkey
  const byApp = result.methods.includes('totp')
  find('first').hidden = true
  find('second').hidden = false
  find('code-form').hidden = !byApp
  find('recovery').hidden = !result.methods.includes('recovery-code')
  find('second-passkey-button').hidden = !result.methods.includes('passkey')
  find(byApp ? 'code' : 'second-passkey-button').focus()
}

async function getPasskey(options) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey })
  return credential.toJSON()
}

onSubmit('password-form', async fields => proceed(await send('POST', 'session', fields)))
onSubmit('invitation-form', async fields => proceed(await send('POST', 'invitation', fields)))
onSubmit('code-form', async ({ code }) => proceed(await send('POST', 'session', { challenge, code })))
onSubmit('recovery-form', async ({ recoveryCode }) =>
  proceed(await send('POST', 'session', { challenge, recoveryCode })),
)
onClick('second-passkey-button', async () => {
  const passkey = await getPasskey(passkeyOptions)
  proceed(await send('POST', 'session', { challenge, passkey }))
})
onClick('passkey-button', async () => {
  const { result } = await send('POST', 'passkey/options')
  const passkey = await getPasskey(result.options)
  proceed(await send('POST', 'session', { challenge: result.challenge, passkey }))
})

onClick('sign-out-button', async () => {
  await send('DELETE', 'session')
  location.reload()
})
onClick('totp-button', async () => {
  const { result } = await send('POST', 'totp')
  find('totp-secret').textContent = result.secret.match(/.{4}/g).join(' ')
  find('totp-uri').href = result.uri
  find('totp-setup').hidden = false
  find('totp-code').focus()
})
onSubmit('totp-form', async ({ code }) => {
  const { result } = await send('POST', 'totp/confirm', { code })
  find('totp-setup').hidden = true
  find('totp-button').hidden = true
  find('recovery-list').replaceChildren(
    ...result.recoveryCodes.map(text => {
      const item = document.createElement('li')
      const element = document.createElement('code')
      element.textContent = text
      item.append(element)
      return item
    }),
  )
  find('recovery-codes').hidden = false
})
onSubmit('totp-remove-form', async ({ code }) => {
  await send('POST', 'totp/remove', { code })
  location.reload()
})
onSubmit('passkey-form', async ({ name }) => {
  const { result } = await send('POST', 'passkeys/options')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(result.options)
  const credential = await navigator.credentials.create({ publicKey })
  await send('POST', 'passkeys', { challenge: result.challenge, name, response: credential.toJSON() })
  location.reload()
})
for (const button of document.querySelectorAll('[data-remove-passkey]'))
  button.addEventListener('click', () =>
    run(async () => {
      await send('DELETE', `passkeys/${encodeURIComponent(button.dataset.removePasskey)}`)
      location.reload()
    }),
  )
