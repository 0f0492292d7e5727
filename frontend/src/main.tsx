import './app/nonce'
import '@mantine/core/styles.css'
import './app/tokens.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { codeIsMissing } from './app/missingCode'

addEventListener('vite:preloadError', codeIsMissing)

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
