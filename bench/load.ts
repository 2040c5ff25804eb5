// Loads a port with one workload, as a process of its own.
import { serve } from './children.ts'
import { applyLoad, requestBytes } from './http-load.ts'
import { type Scene, workloads } from './workloads.ts'

export interface LoadMessage {
  workload: string
  scene: Scene
  port: number
  token: string
  connections: number
  seconds: number
}

serve(({ workload, scene, port, token, connections, seconds }: LoadMessage) => {
  const found = workloads.find(one => one.name === workload)
  if (!found) throw new Error(`There is no workload ${workload}.`)
  const next = () => requestBytes({ ...found.request(scene), token })
  return applyLoad({ port, connections, seconds, next })
})
