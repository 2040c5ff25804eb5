// How `npm start` runs the service, for whoever starts one to look at it: the same settings, and the same arguments.
import packageJson from '../package.json' with { type: 'json' }

const words = packageJson.scripts.start.split(' ')
const [environment, node] = [words.indexOf('env') + 1, words.indexOf('node')]

export const START_SETTINGS: Record<string, string> = Object.fromEntries(
  words.slice(environment, node).map(word => word.split('=')),
)
/** To be run at the root of the project. */
export const START_ARGUMENTS: string[] = words.slice(node + 1)
