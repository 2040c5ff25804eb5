// The family: the primary applicant and the dependents, each with a link; and adding a dependent.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { Muted, Section } from '../../app/section.tsx'
import { ErrorState, errorText, SkeletonLines } from '../../app/states.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
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
  const texts = useTexts()
  const { t } = texts
  const client = useQueryClient()
  const [born, setBorn] = useState<string | null>(null)
  const add = useMutation({
    mutationFn: (body: { firstName: string; lastName: string; relationship: string }) =>
      caseport.applicants.dependents.create(primaryId, { ...body, ...(born && { dateOfBirth: born }) }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: ['family', primaryId] })
      void client.invalidateQueries({ queryKey: ['list', 'people'] })
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const {
      firstName = '',
      lastName = '',
      relationship = '',
    } = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    add.mutate({ firstName, lastName, relationship })
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('person.addDependent')}
      closeButtonProps={{ 'aria-label': t('dialog.close') }}
    >
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            name="firstName"
            label={t('person.firstName')}
            required
            withAsterisk={false}
            data-autofocus
          />
          <TextInput name="lastName" label={t('person.lastName')} required withAsterisk={false} />
          <TextInput
            name="relationship"
            label={t('people.relationship')}
            placeholder={t('person.relationshipExample')}
            required
            withAsterisk={false}
          />
          <DateField label={t('people.born')} value={born} onChange={setBorn} />
          {add.error && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {errorText(add.error, texts)}
            </Text>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('dialog.cancel')}
            </Button>
            <Button type="submit" loading={add.isPending}>
              {t('person.add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
