/** The environment of programs that tests start: nothing of that of the tests but where to find programs and compiled code. */
export const PROGRAM_ENV = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}
