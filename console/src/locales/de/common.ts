import type { common as english } from '../en/common.ts'

export const common = {
  'list.total.one': '{count} Eintrag',
  'list.total.other': '{count} Einträge',
  'list.many': '{count} Einträge oder mehr',
  'list.moreFailed': 'Weitere Einträge konnten nicht gelesen werden.',
  'list.noMatch': 'Keine Treffer',
  'list.noMatchHelp': 'Ändern oder leeren Sie die Filter.',
  'list.clear': 'Filter leeren',
  'list.clearText': 'Text leeren',
  'list.selectAll': 'Alle auswählen',
  'list.select': '{name} auswählen',
  'caseStatus.open': 'Offen',
  'caseStatus.pending': 'Wartend',
  'caseStatus.closed': 'Abgeschlossen',
  'stepStatus.notStarted': 'Nicht begonnen',
  'stepStatus.inProgress': 'In Arbeit',
  'stepStatus.completed': 'Erledigt',
  'stepStatus.waived': 'Entfällt',
  'expiry.expired': 'Abgelaufen am {date}',
  'expiry.soon.one': '{date}, in {count} Tag',
  'expiry.soon.other': '{date}, in {count} Tagen',
} satisfies Record<keyof typeof english, string>
