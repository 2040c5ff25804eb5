// The employee number of a dependent, which cannot be changed back. That of a primary applicant takes an API key, which a person
// has not.
import { Button, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAttempts } from '../../app/attempts.ts'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { notifyDone } from '../../dialogs/notify.tsx'
import type { Person } from './person-record.ts'

const MAX_LENGTH = 64

interface ChangeNumberProps {
  person: Person
  primaryId: string
}

export function ChangeNumberButton({ person, primaryId }: ChangeNumberProps) {
  const { t } = useTexts()
  const client = useQueryClient()
  const { applicantId } = person
  const change = async () => {
    const isChanged = await openDialog<boolean>(close => (
      <ChangeNumber person={person} primaryId={primaryId} onClose={close} />
    ))
    if (!isChanged) return
    notifyDone(t('person.numberChanged'))
    for (const queryKey of [
      ['found', applicantId],
      ['person', applicantId],
      ['family', primaryId],
      ['timeline', applicantId],
      ['list', 'people'],
    ])
      void client.invalidateQueries({ queryKey })
  }
  return (
    <Button variant="default" size="compact-sm" onClick={() => void change()}>
      {t('person.changeNumber')}
    </Button>
  )
}

interface DialogProps extends ChangeNumberProps {
  onClose(isChanged: boolean): void
}

function ChangeNumber({ person, primaryId, onClose }: DialogProps) {
  const { t } = useTexts()
  const [number, setNumber] = useState('')
  const [typed, setTyped] = useState('')
  const attempt = useAttempts()
  const { applicantId, firstName, lastName, dateOfBirth } = person
  const current = person.employeeNumber ?? ''
  const submit = async () => {
    const primary = await caseport.applicants.get(primaryId)
    const body = {
      firstName: firstName ?? '',
      lastName,
      dateOfBirth: dateOfBirth?.slice(0, 10) ?? '',
      newEmployeeNumber: number.trim() || null,
    }
    await attempt(body, idempotencyKey =>
      caseport.applicants.dependents.changeNumber(primary.employeeNumber ?? '', applicantId, body, {
        idempotencyKey,
      }),
    )
  }
  return (
    <FormDialog
      title={t('person.changeNumber')}
      action={t('person.changeNumber')}
      isDangerous
      isReady={dateOfBirth !== null && typed.trim() === current}
      onSubmit={submit}
      onDone={() => onClose(true)}
      onClose={() => onClose(false)}
    >
      {errorOf => (
        <>
          <Text size="sm">
            {t(dateOfBirth === null ? 'person.numberNeedsBirth' : 'person.changeNumberText', {
              number: current,
            })}
          </Text>
          <TextInput
            label={t('person.newNumber')}
            description={t('person.newNumberHelp')}
            value={number}
            maxLength={MAX_LENGTH}
            autoComplete="off"
            onChange={event => setNumber(event.currentTarget.value)}
            error={errorOf('newEmployeeNumber')}
            data-autofocus
          />
          <TextInput
            label={t('dialog.type', { text: current })}
            value={typed}
            autoComplete="off"
            onChange={event => setTyped(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  )
}
