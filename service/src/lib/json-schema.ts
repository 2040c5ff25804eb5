// JSON Schema with the TypeScript type of its values: the part of TypeBox that routes need, with its names. The package itself
// is 374 modules; a start without them takes 0.92 of the time (docs/decisions/0003).
declare const VALUE: unique symbol
const OPTIONAL = Symbol('optional')

/** A schema for values of type `T`. At run time it is plain JSON Schema. */
export interface TSchema<T = unknown> {
  readonly [VALUE]?: (value: never) => T
}

interface TOptional<T> extends TSchema<T> {
  readonly [OPTIONAL]: true
}

interface TObject<P extends Properties> extends TSchema<ObjectOf<P>> {
  properties: P
}

/** The type of the values of a schema. */
export type Static<S> = S extends { readonly [VALUE]?: ((value: never) => infer T) | undefined } ? T : unknown

type Properties = Record<string, TSchema>
type OptionalKey<P> = { [K in keyof P]: P[K] extends TOptional<unknown> ? K : never }[keyof P]
type ObjectOf<P> = { [K in Exclude<keyof P, OptionalKey<P>>]: Static<P[K]> } & {
  [K in OptionalKey<P>]?: Static<P[K]>
}

/** Further keywords, such as `maxLength` or `description`. */
type Keywords = Record<string, unknown>

const schema = <T>(keywords: Keywords): TSchema<T> => keywords as TSchema<T>

export const Type = {
  String: (keywords?: Keywords) => schema<string>({ type: 'string', ...keywords }),
  Integer: (keywords?: Keywords) => schema<number>({ type: 'integer', ...keywords }),
  Boolean: (keywords?: Keywords) => schema<boolean>({ type: 'boolean', ...keywords }),
  Null: (keywords?: Keywords) => schema<null>({ type: 'null', ...keywords }),
  Literal: <const T extends string | number>(value: T) => schema<T>({ type: typeof value, const: value }),
  Array: <S extends TSchema>(items: S, keywords?: Keywords) =>
    schema<Static<S>[]>({ type: 'array', items, ...keywords }),
  /** An object with any members, each of this schema. */
  Record: <S extends TSchema>(values: S) =>
    schema<Record<string, Static<S>>>({ type: 'object', patternProperties: { '^.*$': values } }),
  /** Members are required unless they are optional. */
  Object<P extends Properties>(properties: P, keywords?: Keywords) {
    const required = Object.keys(properties).filter(name => !(OPTIONAL in (properties[name] as TSchema)))
    const members = { ...(required.length > 0 && { required }), properties }
    return schema<ObjectOf<P>>({ type: 'object', ...members, ...keywords }) as TObject<P>
  },
  /** The same schema for a member that may be absent. The mark is no keyword: it appears neither in JSON nor in copies. */
  Optional: <S extends TSchema>(member: S) =>
    Object.defineProperty({ ...member }, OPTIONAL, { value: true }) as S & TOptional<Static<S>>,
  /** Keywords for values of a type that is not derived from them. */
  Unsafe: <T>(keywords: object) => schema<T>(keywords as Keywords),
}
