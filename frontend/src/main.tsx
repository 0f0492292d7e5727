import './app/nonce'
import '@mantine/core/styles.css'
import './app/tokens.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'

// A new build was put in place while this page was open, and what it asks for is gone.
addEventListener('vite:preloadError', () => location.reload())

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
