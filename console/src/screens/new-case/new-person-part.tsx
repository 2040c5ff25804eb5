// The part of a new case for a person who is new: names, passports, family.
import { ActionIcon, Button, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { DateField } from '../../fields/date-field.tsx'
import { countryOptions } from '../../records/countries.ts'
import type { CaseDraft, MemberDraft, PassportDraft } from './new-case.ts'

export interface PartProps {
  draft: CaseDraft
  errors: Record<string, string>
  change(changes: Partial<CaseDraft>): void
}

export function NewPerson({ draft, errors, change }: PartProps) {
  const { t, language } = useTexts()
  const countries = countryOptions(language)
  const text = (
    field: 'firstName' | 'lastName' | 'employeeNumber' | 'email' | 'jobTitle',
    isRequired = false,
  ) => (
    <TextInput
      label={t(`newCase.${field}`)}
      value={draft[field]}
      onChange={event => change({ [field]: event.currentTarget.value })}
      error={errors[field]}
      required={isRequired}
      autoComplete="off"
      {...(field === 'employeeNumber' && { description: t('newCase.employeeNumberHelp') })}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  )
  const changeMember = (key: number, changes: Partial<MemberDraft>) =>
    change({ family: draft.family.map(member => (member.key === key ? { ...member, ...changes } : member)) })
  const changePassport = (key: number, changes: Partial<PassportDraft>) =>
    change({
      passports: draft.passports.map(passport =>
        passport.key === key ? { ...passport, ...changes } : passport,
      ),
    })
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {text('firstName', true)}
        {text('lastName', true)}
        {text('employeeNumber')}
        <DateField
          label={t('newCase.dateOfBirth')}
          value={draft.dateOfBirth}
          onChange={dateOfBirth => change({ dateOfBirth })}
          error={errors['dateOfBirth']}
        />
        {text('email')}
        {text('jobTitle')}
      </SimpleGrid>
      {draft.passports.map(({ key, passportNumber, country, expirationDate }, index) => (
        <fieldset key={key} className="part">
          <legend>
            {t('newCase.passport')} {index + 1}
          </legend>
          <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
            <TextInput
              label={t('newCase.passportNumber')}
              value={passportNumber}
              onChange={event => changePassport(key, { passportNumber: event.currentTarget.value })}
              error={errors[`passport-${key}-passportNumber`]}
              autoComplete="off"
              autoFocus={!passportNumber}
            />
            <Select
              label={t('newCase.passportCountry')}
              data={countries}
              value={country}
              onChange={next => changePassport(key, { country: next })}
              searchable
              clearable
            />
            <DateField
              label={t('newCase.passportExpiry')}
              value={expirationDate}
              onChange={next => changePassport(key, { expirationDate: next })}
            />
          </SimpleGrid>
          <RemoveButton
            label={t('newCase.removePassport', { number: index + 1 })}
            onClick={() => change({ passports: draft.passports.filter(passport => passport.key !== key) })}
          />
        </fieldset>
      ))}
      {draft.family.map(({ key, firstName, lastName, relationship, dateOfBirth }, index) => (
        <fieldset key={key} className="part">
          <legend>{t('newCase.member', { number: index + 1 })}</legend>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <TextInput
              label={t('newCase.firstName')}
              value={firstName}
              onChange={event => changeMember(key, { firstName: event.currentTarget.value })}
              error={errors[`family-${key}-firstName`]}
              required
              autoComplete="off"
              autoFocus={!firstName}
            />
            <TextInput
              label={t('newCase.lastName')}
              value={lastName}
              onChange={event => changeMember(key, { lastName: event.currentTarget.value })}
              error={errors[`family-${key}-lastName`]}
              required
              autoComplete="off"
            />
            <TextInput
              label={t('newCase.relationship')}
              value={relationship}
              onChange={event => changeMember(key, { relationship: event.currentTarget.value })}
              error={errors[`family-${key}-relationship`]}
              required
              autoComplete="off"
            />
            <DateField
              label={t('newCase.dateOfBirth')}
              value={dateOfBirth}
              onChange={next => changeMember(key, { dateOfBirth: next })}
              error={errors[`family-${key}-dateOfBirth`]}
            />
          </SimpleGrid>
          <RemoveButton
            label={t('newCase.removeFamily', { number: index + 1 })}
            onClick={() => change({ family: draft.family.filter(member => member.key !== key) })}
          />
        </fieldset>
      ))}
      <Group gap="xs">
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() =>
            change({
              passports: [
                ...draft.passports,
                { key: Date.now(), passportNumber: '', country: null, expirationDate: null },
              ],
            })
          }
        >
          {t('newCase.addPassport')}
        </Button>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() =>
            change({
              family: [
                ...draft.family,
                {
                  key: Date.now(),
                  firstName: '',
                  lastName: draft.lastName,
                  relationship: '',
                  dateOfBirth: null,
                  nationality: null,
                },
              ],
            })
          }
        >
          {t('newCase.addFamily')}
        </Button>
      </Group>
    </Stack>
  )
}

function RemoveButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" className="part-remove" aria-label={label} onClick={onClick}>
      <Icon name="close" size={15} />
    </ActionIcon>
  )
}
