// Exits with 0 if the service in this container responds. It asks for liveness: a container that waits for its database must
// not be restarted.
const { PORT = '8080' } = process.env
try {
  const response = await fetch(`http://127.0.0.1:${PORT}/healthz`, { signal: AbortSignal.timeout(4_000) })
  process.exitCode = response.ok ? 0 : 1
} catch {
  process.exitCode = 1
}
