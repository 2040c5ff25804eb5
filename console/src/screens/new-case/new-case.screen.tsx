// Starting a case: for a person of whom there is a record, or for a new one with passport and family. What is typed is kept
// for the tab until the case is started.
import { isCaseportError } from '@caseport/sdk'
import { Alert, Button, Group, List, Paper, SegmentedControl, Stack, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { newKey, wasRejected } from '../../app/attempts.ts'
import { caseport } from '../../app/connection.ts'
import { useDraft } from '../../app/draft.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import { useGo } from '../../app/router.tsx'
import { errorText } from '../../app/states.tsx'
import { notifyDone } from '../../dialogs/notify.tsx'
import { focusInvalidDate } from '../../fields/date-field.tsx'
import { useCompanies } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { CASE_LISTS, casePath } from '../cases/cases.ts'
import { type CaseDraft, emptyDraft, fieldOf, isUntouched, missingOf, requestOf } from './new-case.ts'
import { PersonPicker } from './person-picker.tsx'
import '../cases/cases.css'
import { CasePart } from './case-part.tsx'
import { NewPerson } from './new-person-part.tsx'

const DRAFT = { name: 'new-case', initial: emptyDraft, isEmpty: isUntouched }

interface Created {
  caseId: string
  name: string
  warnings: { pointer: string; detail: string }[]
}

export default function NewCaseScreen() {
  const texts = useTexts()
  const { t } = texts
  const { companies } = useCompanies()
  const [stored, setDraft, discard] = useDraft<CaseDraft>(DRAFT)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [problem, setProblem] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const [created, setCreated] = useState<Created>()
  const form = useRef<HTMLFormElement>(null)
  const client = useQueryClient()
  const go = useGo()

  // A person with one company has nothing to choose.
  const active = companies.filter(company => company.active)
  const only = active.length === 1 ? (active[0]?.companyId ?? null) : null
  const draft: CaseDraft = {
    ...stored,
    sendingCompany: stored.sendingCompany ?? only,
    hostCompany: stored.hostCompany ?? only,
    billingCompany: stored.billingCompany ?? only,
  }
  const change = (changes: Partial<CaseDraft>) => {
    setDraft({ ...draft, ...changes, idempotencyKey: newKey() })
    setErrors(all => Object.fromEntries(Object.entries(all).filter(([field]) => !(field in changes))))
  }

  const focusFirstError = () =>
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSaving) return
    setProblem(undefined)
    if (focusInvalidDate(event.currentTarget)) return setProblem(t('newCase.fix'))
    const missing = missingOf(draft)
    if (missing.size > 0) {
      setErrors(Object.fromEntries([...missing].map(field => [field, t('newCase.required')])))
      setProblem(t('newCase.fix'))
      focusFirstError()
      return
    }
    setSaving(true)
    try {
      const result = await caseport.cases.create(requestOf(draft), { idempotencyKey: draft.idempotencyKey })
      for (const queryKey of [...CASE_LISTS, ['list', 'people']]) void client.invalidateQueries({ queryKey })
      discard()
      if (result.warnings.length > 0) {
        setCreated({ caseId: result.caseId, name: nameOf(result.applicant), warnings: result.warnings })
      } else {
        notifyDone(t('newCase.created'))
        go(casePath(result.caseId))
      }
    } catch (error) {
      if (wasRejected(error)) setDraft({ ...draft, idempotencyKey: newKey() })
      setProblem(errorText(error, texts))
      if (isCaseportError(error)) {
        setErrors(
          Object.fromEntries(error.errors.map(({ pointer, detail }) => [fieldOf(pointer, draft), detail])),
        )
        focusFirstError()
      }
    } finally {
      setSaving(false)
    }
  }

  if (created)
    return (
      <PageFrame title={t('newCase.created')}>
        <Stack gap="md" maw={640}>
          <Alert color="yellow" icon={<Icon name="alert" />} title={t('newCase.warnings')} role="alert">
            <List size="sm">
              {created.warnings.map(({ pointer, detail }) => (
                <List.Item key={pointer}>{detail}</List.Item>
              ))}
            </List>
          </Alert>
          <Group gap="xs">
            <Button onClick={() => go(casePath(created.caseId))} autoFocus>
              {t('newCase.open')}
            </Button>
            <Button variant="default" onClick={() => setCreated(undefined)}>
              {t('newCase.another')}
            </Button>
          </Group>
        </Stack>
      </PageFrame>
    )

  return (
    <PageFrame
      title={t('newCase.title')}
      actions={
        !isUntouched(stored) && (
          <Button
            variant="subtle"
            color="gray"
            disabled={isSaving}
            onClick={() => {
              discard()
              setErrors({})
              setProblem(undefined)
            }}
          >
            {t('newCase.discard')}
          </Button>
        )
      }
    >
      <form ref={form} onSubmit={event => void submit(event)} noValidate className="new-case">
        <Stack gap="md" maw={860}>
          <fieldset className="new-case-fields" disabled={isSaving}>
            <Paper withBorder p="md" component="section" aria-label={t('newCase.person')}>
              <Title order={2} mb="sm">
                {t('newCase.person')}
              </Title>
              <SegmentedControl
                mb="sm"
                aria-label={t('newCase.person')}
                value={draft.isNew ? 'new' : 'existing'}
                onChange={value => change({ isNew: value === 'new', person: null })}
                data={[
                  { value: 'existing', label: t('newCase.existing') },
                  { value: 'new', label: t('newCase.new') },
                ]}
              />
              {draft.isNew ? (
                <NewPerson draft={draft} errors={errors} change={change} />
              ) : (
                <PersonPicker
                  person={draft.person}
                  error={errors['person']}
                  onChange={person => {
                    const company = companyIdOf(person?.sendingCompany, companies)
                    change({
                      person,
                      sendingCompany: company ?? draft.sendingCompany,
                      hostCompany: draft.hostCompany ?? company,
                      billingCompany: draft.billingCompany ?? company,
                    })
                  }}
                />
              )}
            </Paper>
            <CasePart draft={draft} errors={errors} change={change} hasOneCompany={only !== null} />
          </fieldset>
          {problem && (
            <Alert color="red" icon={<Icon name="alert" />} role="alert">
              {problem}
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => go('/cases')}>
              {t('dialog.cancel')}
            </Button>
            <Button type="submit" loading={isSaving}>
              {t('newCase.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </PageFrame>
  )
}

function companyIdOf(
  name: string | null | undefined,
  companies: { companyId: string; name: string; code: string | null; active: boolean }[],
): string | null {
  const found = companies.find(company =>
    [company.companyId, company.name, company.code].includes(name ?? ''),
  )
  return found?.active ? found.companyId : null
}
