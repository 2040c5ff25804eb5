import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles.ts'
import { App } from './app/app.tsx'
import { nonce } from './app/page.ts'

// Libraries that write style elements of their own read it there.
setNonce(nonce)

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
