// The family: the primary applicant and the dependents, each with a link; and adding a dependent.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAttempts } from '../../app/attempts.ts'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { Muted, Section } from '../../app/section.tsx'
import { ErrorState, SkeletonLines } from '../../app/states.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { DateField } from '../../fields/date-field.tsx'
import { PersonLink } from '../../records/links.tsx'
import type { Found } from './person-record.ts'

export function Family({ found, mayEdit }: { found: Found; mayEdit: boolean }) {
  const { t, date } = useTexts()
  const primaryId = found.primaryApplicantId ?? found.applicantId
  const queryKey = ['family', primaryId]
  const { data, error, refetch } = useQuery({
    queryKey,
    async queryFn() {
      const [primary, dependents] = await Promise.all([
        caseport.applicants.get(primaryId),
        caseport.applicants.dependents.list(primaryId),
      ])
      return { primary, dependents }
    },
  })
  const others = data
    ? [data.primary, ...data.dependents].filter(({ applicantId }) => applicantId !== found.applicantId)
    : []
  return (
    <Section
      title={t('person.family')}
      actions={
        mayEdit && (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() =>
              void openDialog<void>(close => <AddDependent primaryId={primaryId} onClose={() => close()} />)
            }
          >
            {t('person.addDependent')}
          </Button>
        )
      }
    >
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonLines lines={2} />
      ) : others.length === 0 ? (
        <Muted>{t('person.noFamily')}</Muted>
      ) : (
        <Stack gap={6} component="ul" className="plain-list">
          {others.map(person => (
            <li key={person.applicantId}>
              <Group justify="space-between" gap="xs" wrap="nowrap">
                <PersonLink person={person} />
                <Text size="xs" c="dimmed">
                  {[
                    person.applicantId === primaryId ? t('people.primary') : person.relationship,
                    date(person.dateOfBirth),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </Text>
              </Group>
            </li>
          ))}
        </Stack>
      )}
    </Section>
  )
}

function AddDependent({ primaryId, onClose }: { primaryId: string; onClose: () => void }) {
  const { t } = useTexts()
  const client = useQueryClient()
  const attempt = useAttempts()
  const [texts, setTexts] = useState({ firstName: '', lastName: '', relationship: '' })
  const [born, setBorn] = useState<string | null>(null)
  const submit = async () => {
    const body = { ...texts, ...(born && { dateOfBirth: born }) }
    await attempt(body, idempotencyKey =>
      caseport.applicants.dependents.create(primaryId, body, { idempotencyKey }),
    )
    void client.invalidateQueries({ queryKey: ['list', 'people'] })
    await client.invalidateQueries({ queryKey: ['family', primaryId] })
  }
  const change = (changes: Partial<typeof texts>) => setTexts({ ...texts, ...changes })
  return (
    <FormDialog
      title={t('person.addDependent')}
      action={t('person.add')}
      isReady={Object.values(texts).every(text => text.trim() !== '')}
      onSubmit={submit}
      onDone={onClose}
      onClose={onClose}
    >
      {errorOf => (
        <>
          <TextInput
            label={t('person.firstName')}
            value={texts.firstName}
            onChange={event => change({ firstName: event.currentTarget.value })}
            error={errorOf('firstName')}
            data-autofocus
            required
            withAsterisk={false}
          />
          <TextInput
            label={t('person.lastName')}
            value={texts.lastName}
            onChange={event => change({ lastName: event.currentTarget.value })}
            error={errorOf('lastName')}
            required
            withAsterisk={false}
          />
          <TextInput
            label={t('people.relationship')}
            placeholder={t('person.relationshipExample')}
            value={texts.relationship}
            onChange={event => change({ relationship: event.currentTarget.value })}
            error={errorOf('relationship')}
            required
            withAsterisk={false}
          />
          <DateField
            label={t('people.born')}
            value={born}
            onChange={setBorn}
            error={errorOf('dateOfBirth')}
          />
        </>
      )}
    </FormDialog>
  )
}
