/**
 * Gives memory back at once, where nobody reads or writes it any more, the system included. Left to the garbage collector,
 * the pieces of a large file are most of what it has to do, and what it has not come to yet is most of the memory. Only where
 * the bytes are all of their memory: the rest may be somebody else's.
 */
export function letGo({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
