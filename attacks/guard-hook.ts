// Loaded with `--import` into an attacked service: breaks the guard that BROKEN_GUARD names, and shortens times, as the files
// are loaded.
import { registerHooks } from 'node:module'
import { mutate, mutationsIn } from './guards.ts'

const mutations = mutationsIn(process.env)

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const own = mutations.filter(({ file }) => url.endsWith(`/service/src/${file}`))
    return own.length > 0 ? { ...loaded, source: own.reduce(mutate, String(loaded.source)) } : loaded
  },
})
