// Loaded with `--import` into an attacked service: breaks the guard that BROKEN_GUARD names, as its file is loaded.
import { registerHooks } from 'node:module'
import { GUARDS, mutate } from './guards.ts'

const mutation = GUARDS[process.env['BROKEN_GUARD'] ?? '']

if (mutation)
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.endsWith(`/service/src/${mutation.file}`)) return loaded
      return { ...loaded, source: mutate(String(loaded.source), mutation) }
    },
  })
