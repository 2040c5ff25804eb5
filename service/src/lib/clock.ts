/** Time is handed in, so that tests and workers decide what day it is. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
