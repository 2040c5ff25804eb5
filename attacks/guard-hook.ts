// Loaded with `--import` into a service under attack: breaks the guard that BROKEN_GUARD names, as it is loaded.
import { registerHooks } from 'node:module'
import { GUARDS } from './guards.ts'

const mutation = GUARDS[process.env['BROKEN_GUARD'] ?? '']

if (mutation)
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.endsWith(`/service/src/${mutation.file}`)) return loaded
      const source = String(loaded.source)
      // A guard that looks otherwise by now would stay whole, and the attack would seem blind.
      if (!source.includes(mutation.from))
        throw new Error(`${mutation.file} no longer holds: ${mutation.from}`)
      return { ...loaded, source: source.replace(mutation.from, mutation.to) }
    },
  })
