import { h, markdown } from './docs-dom.js'
import { hasType, isBinary, membersOf } from './docs-model.js'

/** How deep "Expand all" opens a schema; a recursive one would never end. */
const EXPAND_DEPTH = 5
const ENUM_SHOWN = 16

/** Draws the members of a branch of the tree the first time it is opened. */
const fillers = new WeakMap()

/**
 * A schema as an expandable tree.
 * @param {any} node the schema, as it stands in the document
 * @param {(node: any) => any} resolve
 */
export function schemaTree(node, resolve) {
  const { schema, name } = read(node, resolve)
  const tree = h('div', { class: 'schema' })
  const branch = branchOf(schema, resolve)
  const heading = h('p', { class: 'schema-root' }, h('span', { class: 'type' }, typeLabel(node, resolve)))
  if (schema.title && schema.title !== name) heading.append(' ', schema.title)
  if (branch?.canNest) heading.append(expandAll(tree))
  tree.append(heading, ...details(schema, resolve))
  if (branch) tree.append(...branch.render(1))
  return tree
}

function expandAll(tree) {
  let open = false
  const button = h('button', { type: 'button', class: 'quiet' }, 'Expand all')
  button.addEventListener('click', () => {
    open = !open
    button.textContent = open ? 'Collapse all' : 'Expand all'
    // Opening a branch adds its own branches, which the next turn of the loop finds.
    for (let turn = 0; turn < EXPAND_DEPTH; turn++) {
      for (const el of tree.querySelectorAll('details.branch')) {
        if (open) fillers.get(el)?.()
        el.open = open
      }
    }
  })
  return button
}

/** What lies below a schema, if anything: the members of an object or of an array's items, or the choices. */
function branchOf(schema, resolve, hops = 0) {
  if (hops > 8) return undefined
  const choices = choicesOf(schema)
  if (choices.length > 1) {
    return {
      label: `${choices.length} alternatives`,
      canNest: true,
      render: depth => [
        h('p', { class: 'schema-note' }, schema.oneOf ? 'Exactly one of:' : 'Any of:'),
        h(
          'ul',
          { class: 'members' },
          choices.map(choice => row({ schema: choice, choice: true }, resolve, depth)),
        ),
      ],
    }
  }
  if (choices.length === 1) return branchOf(read(choices[0], resolve).schema, resolve, hops + 1)
  if (hasType(schema, 'array') && schema.items) {
    const below = branchOf(read(schema.items, resolve).schema, resolve, hops + 1)
    return below && { ...below, label: `${below.label} of each item` }
  }
  const members = membersOf(schema, resolve)
  const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  if (rest) members.push({ name: 'any other name', schema: rest, rest: true })
  if (members.length === 0) return undefined
  return {
    label: members.length === 1 ? '1 member' : `${members.length} members`,
    canNest: members.some(member => branchOf(shallow(member.schema, resolve), resolve)),
    render: depth =>
      [
        h(
          'ul',
          { class: 'members' },
          members.map(member => row(member, resolve, depth)),
        ),
        schema.additionalProperties === false &&
          h('p', { class: 'schema-note' }, 'No other members are accepted.'),
      ].filter(Boolean),
  }
}

/** The same schema with its own members made leaves, so that looking one level down never recurses further. */
function shallow(node, resolve) {
  const { schema } = read(node, resolve)
  const inner = schema.items ? read(schema.items, resolve).schema : schema
  const nests = inner.properties || inner.allOf || typeof inner.additionalProperties === 'object'
  return nests || choicesOf(inner).length > 1 ? { properties: { leaf: {} } } : {}
}

function row(member, resolve, depth) {
  const { schema } = read(member.schema, resolve)
  const branch = branchOf(schema, resolve)
  const head = h(
    'div',
    { class: 'member-head' },
    !member.choice && h(member.rest ? 'em' : 'code', { class: 'member-name' }, member.name),
    h('span', { class: 'type' }, typeLabel(member.schema, resolve)),
    member.required && h('span', { class: 'flag required' }, 'required'),
    schema.readOnly && h('span', { class: 'flag' }, 'read only'),
    schema.writeOnly && h('span', { class: 'flag' }, 'write only'),
    schema.deprecated && h('span', { class: 'flag' }, 'deprecated'),
  )
  const item = h('li', { class: 'member' }, head, details(schema, resolve))
  if (!branch) return item
  const box = h('details', { class: 'branch' }, h('summary', null, branch.label))
  const fill = () => {
    if (depth <= EXPAND_DEPTH * 2 && box.childElementCount === 1) box.append(...branch.render(depth + 1))
  }
  fillers.set(box, fill)
  box.addEventListener('toggle', () => box.open && fill())
  item.append(box)
  return item
}

/** Description, enum, constraints, default and example of a schema, in the order a reader needs them. */
export function details(schema, resolve) {
  const inner = hasType(schema, 'array') && schema.items ? read(schema.items, resolve).schema : undefined
  const facts = [...constraints(schema), ...(inner ? constraints(inner).map(fact => ['each ', ...fact]) : [])]
  const values = schema.enum ?? inner?.enum
  const example = schema.examples?.[0] ?? schema.example
  if (schema.default !== undefined) facts.push(['default ', value(schema.default)])
  if (example !== undefined && typeof example !== 'object') facts.push(['for example ', value(example)])
  return [
    schema.description && h('div', { class: 'prose small' }, markdown(schema.description, 6)),
    values && enumList(values),
    facts.length > 0 &&
      h(
        'ul',
        { class: 'facts' },
        facts.map(fact => h('li', null, fact)),
      ),
  ].filter(Boolean)
}

function enumList(values) {
  const list = values.map(item => h('li', null, value(item)))
  const more = list.splice(ENUM_SHOWN)
  return [
    h('ul', { class: 'enum', 'aria-label': 'Allowed values' }, list),
    more.length > 0 &&
      h('details', null, h('summary', null, `${more.length} more`), h('ul', { class: 'enum' }, more)),
  ]
}

const value = item => h('code', null, typeof item === 'string' ? item || '""' : JSON.stringify(item))

const range = (min, max, one, many) => {
  if (min === undefined && max === undefined) return []
  if (min === max) return [[`exactly ${min} ${min === 1 ? one : many}`]]
  if (max === undefined) return [[`at least ${min} ${min === 1 ? one : many}`]]
  if (!min) return [[`at most ${max} ${max === 1 ? one : many}`]]
  return [[`${min} to ${max} ${many}`]]
}

function constraints(schema) {
  return [
    ...(schema.const !== undefined ? [['always ', value(schema.const)]] : []),
    ...range(schema.minLength, schema.maxLength, 'character', 'characters'),
    ...bounds(schema),
    ...(schema.multipleOf !== undefined ? [[`a multiple of ${schema.multipleOf}`]] : []),
    ...range(schema.minItems, schema.maxItems, 'item', 'items'),
    ...(schema.uniqueItems ? [['no item twice']] : []),
    ...range(schema.minProperties, schema.maxProperties, 'member', 'members'),
    ...(schema.pattern ? [['matches ', h('code', null, schema.pattern)]] : []),
    ...(schema.contentMediaType ? [['of type ', h('code', null, schema.contentMediaType)]] : []),
  ]
}

function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }) {
  if (minimum !== undefined && maximum !== undefined) return [[`from ${minimum} to ${maximum}`]]
  return [
    ...(minimum !== undefined ? [[`${minimum} or more`]] : []),
    ...(maximum !== undefined ? [[`${maximum} or less`]] : []),
    ...(exclusiveMinimum !== undefined ? [[`more than ${exclusiveMinimum}`]] : []),
    ...(exclusiveMaximum !== undefined ? [[`less than ${exclusiveMaximum}`]] : []),
  ]
}

/** A short name of a schema's type: `string · date or null`, `array of Passport`. */
export function typeLabel(node, resolve, depth = 0) {
  const { schema, name } = read(node, resolve)
  if (depth > 6) return 'any'
  const choices = choicesOf(schema)
  const labels = []
  if (choices.length > 0) {
    labels.push(...new Set(choices.map(choice => typeLabel(choice, resolve, depth + 1))))
    if (labels.length > 3) labels.splice(0, labels.length, name ?? 'one of several')
  } else if (hasType(schema, 'array')) {
    labels.push(`array of ${schema.items ? typeLabel(schema.items, resolve, depth + 1) : 'anything'}`)
  } else if (isBinary(schema)) {
    labels.push('file')
  } else {
    const types = [schema.type ?? (schema.properties || schema.allOf ? 'object' : guess(schema))].flat()
    labels.push(
      ...types
        .filter(type => type !== 'null')
        .map(type =>
          type === 'object' && name ? name : schema.format ? `${type} · ${schema.format}` : type,
        ),
    )
  }
  if (isNullable(schema)) labels.push('null')
  return labels.join(' or ') || 'any'
}

const guess = schema =>
  typeof (schema.const ?? schema.enum?.[0] ?? undefined) === 'string' ? 'string' : 'any'

const isNull = option => option.type === 'null' || option.const === null
const choicesOf = schema => (schema.oneOf ?? schema.anyOf ?? []).filter(option => !isNull(option))
const isNullable = schema => hasType(schema, 'null') || (schema.oneOf ?? schema.anyOf ?? []).some(isNull)

/** A schema with its reference followed, and the name it is known by. */
export function read(node, resolve) {
  return { schema: resolve(node === true ? {} : node), name: node?.$ref?.split('/').pop() }
}

/** One line about a schema, for hints beside an input. */
export function hint(schema, resolve) {
  return [typeLabel(schema, resolve), ...constraints(resolve(schema)).map(fact => [', ', ...fact])]
}

/** Rows of a table that describe parameters or headers. */
export function parameterRows(parameters, resolve) {
  return parameters.map(parameter => {
    const schema = resolve(parameter.schema ?? {})
    const { description, ...rest } = schema
    const example = parameter.example ?? Object.values(parameter.examples ?? {})[0]?.value
    return h(
      'tr',
      null,
      h(
        'th',
        { scope: 'row' },
        h('code', { class: 'member-name' }, parameter.name),
        parameter.required && h('span', { class: 'flag required' }, 'required'),
        parameter.deprecated && h('span', { class: 'flag' }, 'deprecated'),
      ),
      h(
        'td',
        null,
        h('span', { class: 'type' }, typeLabel(parameter.schema ?? {}, resolve)),
        details(
          {
            ...rest,
            description: parameter.description ?? description,
            ...(example === undefined ? {} : { examples: [example] }),
          },
          resolve,
        ),
      ),
    )
  })
}
