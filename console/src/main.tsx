import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles.ts'
import { App, firstScreen } from './app/app.tsx'
import { nonce } from './app/page.ts'

// Libraries that write style elements of their own read it there.
setNonce(nonce)

// A browser opens a file that is dropped outside of a drop zone, and leaves the console with everything that was typed.
for (const type of ['dragover', 'drop'] as const)
  window.addEventListener(type, event => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  })

// Paper is light, whatever the colours of the screen are. Mantine's colours follow this attribute.
const { dataset } = document.documentElement
let schemeOfScreen: string | undefined
window.addEventListener('beforeprint', () => {
  schemeOfScreen = dataset['mantineColorScheme']
  dataset['mantineColorScheme'] = 'light'
})
window.addEventListener('afterprint', () => {
  if (schemeOfScreen) dataset['mantineColorScheme'] = schemeOfScreen
})

/** How long the page waits for its first screen, to draw it once. After that it shows that it is loading. */
const WAIT_MS = 250

const root = document.getElementById('root')
if (root)
  void Promise.race([firstScreen, new Promise(resolve => setTimeout(resolve, WAIT_MS))]).then(() =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  )
