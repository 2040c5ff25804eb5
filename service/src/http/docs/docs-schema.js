import { h, markdown, nodes } from './docs-dom.js'
import { choicesOf, hasType, isBinary, membersOf, readSchema } from './docs-model.js'

/** Allowed values beyond this many are folded away. */
const ENUM_SHOWN = 16

/** The branches of trees, by the element that opens them. */
const branches = new WeakMap()

/**
 * A schema as an expandable tree.
 * @param {any} node the schema, as it stands in the document
 * @param {(node: any) => any} resolve
 */
export function schemaTree(node, resolve) {
  const { schema, name } = readSchema(node, resolve)
  const branch = branchOf(node, resolve)
  const tree = h('div', { class: 'schema' })
  const title = schema.title !== name && schema.title
  const heading = h(
    'p',
    { class: 'schema-root' },
    h('span', { class: 'type' }, typeLabel(node, resolve)),
    title,
  )
  tree.append(heading, ...nodes(details(schema, resolve)))
  if (branch) tree.append(...nodes(branch.render([branch.name])))
  if (tree.querySelector('details.branch')) heading.append(expandAll(tree))
  return tree
}

/** Opens everything but what contains itself, which would never end. */
function expandAll(tree) {
  let open = false
  const openBelow = el => {
    for (const box of el.querySelectorAll('details.branch')) {
      const { fill, recursive } = branches.get(box)
      if (open && recursive) continue
      box.open = open
      if (open && fill()) openBelow(box)
    }
  }
  const button = h('button', { type: 'button', class: 'quiet' }, 'Expand all')
  button.addEventListener('click', () => {
    open = !open
    button.textContent = open ? 'Collapse all' : 'Expand all'
    openBelow(tree)
  })
  return button
}

/**
 * What lies below a schema, if anything: the members of an object or of an array's items, or the choices.
 * `render` is given the names of the schemas above.
 */
function branchOf(node, resolve, hops = 0) {
  const { schema, name } = readSchema(node, resolve)
  const choices = choicesOf(schema)
  if (choices.length > 0) {
    return {
      name,
      label: count(choices.length, 'alternative'),
      render: trail => [
        h('p', { class: 'schema-note' }, schema.oneOf ? 'Exactly one of:' : 'Any of:'),
        memberList(
          choices.map(choice => ({ schema: choice, choice: true })),
          resolve,
          trail,
        ),
      ],
    }
  }
  if (hasType(schema, 'array') && schema.items) {
    const below = hops < 8 && branchOf(schema.items, resolve, hops + 1)
    return below ? { ...below, label: `${below.label} of each item` } : undefined
  }
  const members = membersOf(schema, resolve)
  const rest = schema.additionalProperties
  const open = Object.entries(schema.patternProperties ?? {}).map(([pattern, of]) => [
    `name like ${pattern}`,
    of,
  ])
  if (typeof rest === 'object') open.push(['any other name', rest])
  members.push(...open.map(([title, of]) => ({ name: title, schema: of, rest: true })))
  if (members.length === 0) return undefined
  return {
    name,
    label: members.length === open.length ? 'members of any name' : count(members.length, 'member'),
    render: trail => [
      memberList(members, resolve, trail),
      rest === false && h('p', { class: 'schema-note' }, 'No other members are accepted.'),
    ],
  }
}

const memberList = (members, resolve, trail) =>
  h(
    'ul',
    { class: 'members' },
    members.map(member => row(member, resolve, trail)),
  )

function row(member, resolve, trail) {
  const { schema } = readSchema(member.schema, resolve)
  const branch = branchOf(member.schema, resolve)
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
  return h('li', { class: 'member' }, head, details(schema, resolve), branch && branchBox(branch, trail))
}

const count = (number, noun) => (number === 1 ? `1 ${noun}` : `${number} ${noun}s`)

/** A branch whose content is drawn the first time it is opened. */
function branchBox(branch, trail) {
  const recursive = branch.name !== undefined && trail.includes(branch.name)
  const box = h('details', { class: 'branch' }, h('summary', null, branch.label))
  const fill = () => {
    if (box.childElementCount > 1) return false
    box.append(h('div', { class: 'branch-body' }, branch.render([...trail, branch.name])))
    return true
  }
  branches.set(box, { fill, recursive })
  box.addEventListener('toggle', () => box.open && fill())
  return box
}

/** Description, enum, constraints, default and example of a schema, in the order a reader needs them. */
export function details(schema, resolve) {
  const inner =
    hasType(schema, 'array') && schema.items ? readSchema(schema.items, resolve).schema : undefined
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
  const { schema, name, nullable } = readSchema(node, resolve)
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
  if (nullable) labels.push('null')
  return labels.join(' or ') || 'any'
}

const guess = schema =>
  typeof (schema.const ?? schema.enum?.[0] ?? undefined) === 'string' ? 'string' : 'any'

/** One line about a schema, for hints beside an input. */
export function hint(schema, resolve) {
  return [
    typeLabel(schema, resolve),
    ...constraints(readSchema(schema, resolve).schema).map(fact => [', ', ...fact]),
  ]
}

/** Rows of a table that describe parameters or headers. */
export function parameterRows(parameters, resolve) {
  return parameters.map(parameter => {
    const { schema } = readSchema(parameter.schema ?? {}, resolve)
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
        { class: 'about' },
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
