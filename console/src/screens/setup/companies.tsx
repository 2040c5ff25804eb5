import type { components } from '@caseport/sdk'
import { Button, Switch, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { useActions } from '../../app/actions.tsx'
import { useAttempts } from '../../app/attempts.ts'
import { caseport } from '../../app/connection.ts'
import { type Key, useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { useSession } from '../../app/session.tsx'
import { errorText } from '../../app/states.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { notifyDone, notifyError } from '../../dialogs/notify.tsx'
import { saveOver } from '../../fields/save-over.ts'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { FilterBar, SearchField } from '../../list/filter-bar.tsx'
import { useList } from '../../list/use-list.ts'
import { wholeList } from '../../list/whole-list.ts'
import { ToneBadge } from '../../records/links.tsx'

type Company = components['schemas']['Company']
const FILTERS = ['q'] as const

export function Companies() {
  const texts = useTexts()
  const { t, country, ago } = texts
  const { can } = useSession()
  const canWrite = can('setup:write')
  const client = useQueryClient()
  const list = useList<Company, 'q'>({
    name: 'companies',
    filters: FILTERS,
    load: async ({ q }, _page, signal) =>
      wholeList(await caseport.companies.list({ signal }), q, company => [
        company.name,
        company.code,
        company.country,
        country(company.country),
      ]),
  })
  const edit = async (company?: Company) => {
    let base: Company | undefined
    try {
      base = company && (await caseport.companies.get(company.companyId))
    } catch (cause) {
      notifyError(t('state.error'), errorText(cause, texts))
      return
    }
    const name = await openDialog<string | undefined>(close => <CompanyDialog base={base} onClose={close} />)
    if (!name) return
    notifyDone(t('setup.saved', { name }))
    list.refresh()
    void client.invalidateQueries({ queryKey: ['companies'] })
  }
  const latest = useRef(edit)
  latest.current = edit
  useActions(
    useMemo(
      () =>
        canWrite
          ? [
              {
                id: 'add-company',
                label: t('companies.add'),
                icon: 'plus' as const,
                group: t('setup.title'),
                shortcut: 'n',
                run: () => void latest.current(),
              },
            ]
          : [],
      [canWrite, t],
    ),
  )
  const columns = useMemo<Column<Company>[]>(
    () => [
      {
        id: 'name',
        header: t('companies.name'),
        width: 'minmax(180px, 2fr)',
        narrow: 'title',
        cell: company => company.name,
      },
      { id: 'code', header: t('companies.code'), cell: company => company.code ?? '' },
      { id: 'country', header: t('companies.country'), cell: company => country(company.country) },
      {
        id: 'active',
        header: t('companies.state'),
        cell: company => (
          <ToneBadge tone={company.active ? 'good' : 'neutral'}>
            {t(company.active ? 'companies.active' : 'companies.inactive')}
          </ToneBadge>
        ),
      },
      {
        id: 'updated',
        header: t('documents.updated'),
        narrow: 'hidden',
        cell: company => ago(company.updatedAt),
      },
    ],
    [t, country, ago],
  )
  return (
    <>
      <FilterBar
        list={list}
        end={
          canWrite && (
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => void edit()}>
              {t('companies.add')}
            </Button>
          )
        }
      >
        <SearchField list={list} label={t('companies.search')} />
      </FilterBar>
      <DataTable
        label={t('setup.show.companies')}
        list={list}
        columns={columns}
        rowKey={company => company.companyId}
        rowLabel={company => company.name}
        {...(canWrite && { onOpen: (company: Company) => void edit(company) })}
        empty={{ title: t('companies.empty'), text: t('companies.emptyHelp') }}
      />
    </>
  )
}

const LABELS: Partial<Record<keyof Company, Key>> = {
  name: 'companies.name',
  code: 'companies.code',
  country: 'companies.country',
  active: 'companies.active',
}

interface CompanyDialogProps {
  /** As it was read; a new one without. */
  base: Company | undefined
  onClose(name: string | undefined): void
}

function CompanyDialog({ base, onClose }: CompanyDialogProps) {
  const { t, country: nameOfCountry } = useTexts()
  const attempt = useAttempts()
  const [fields, setFields] = useState({
    name: base?.name ?? '',
    code: base?.code ?? '',
    country: base?.country ?? '',
    active: base?.active ?? true,
  })
  const body = {
    name: fields.name.trim(),
    code: fields.code.trim() || null,
    country: fields.country.trim().toUpperCase() || null,
    active: fields.active,
  }
  const submit = () =>
    base
      ? saveOver<Company>({
          base,
          changes: body,
          read: () => caseport.companies.get(base.companyId),
          write: (changes, version) =>
            caseport.companies.update(base.companyId, changes, { ifMatch: version }),
          labelOf: field => t(LABELS[field] ?? 'companies.name'),
        })
      : attempt(body, idempotencyKey => caseport.companies.create(body, { idempotencyKey }))
  const kept = [body.name, body.code].map(text => text?.toLowerCase())
  /** Who leaves the company when it no longer has this name or code. */
  const leaveWith = (former: string | null | undefined) =>
    former && !kept.includes(former.toLowerCase()) ? t('companies.leaveHelp', { former }) : undefined
  return (
    <FormDialog
      title={base ? base.name : t('companies.add')}
      action={t('edit.save')}
      isReady={body.name !== ''}
      onSubmit={submit}
      onDone={() => onClose(body.name)}
      onClose={() => onClose(undefined)}
    >
      {errorOf => (
        <>
          <TextInput
            label={t('companies.name')}
            description={leaveWith(base?.name)}
            value={fields.name}
            maxLength={300}
            onChange={event => setFields({ ...fields, name: event.currentTarget.value })}
            error={errorOf('name')}
            data-autofocus
            required
            withAsterisk={false}
          />
          <TextInput
            label={t('companies.code')}
            description={leaveWith(base?.code) ?? t('companies.codeHelp')}
            value={fields.code}
            maxLength={100}
            onChange={event => setFields({ ...fields, code: event.currentTarget.value })}
            error={errorOf('code')}
          />
          <TextInput
            label={t('companies.country')}
            description={t('setup.countryHelp')}
            value={fields.country}
            maxLength={3}
            onChange={event => setFields({ ...fields, country: event.currentTarget.value })}
            error={errorOf('country')}
            rightSectionWidth={130}
            rightSection={
              <Text size="xs" c="dimmed" truncate>
                {fields.country.trim().length >= 2 && nameOfCountry(fields.country.trim().toUpperCase())}
              </Text>
            }
          />
          <Switch
            label={t('companies.active')}
            description={t('companies.activeHelp')}
            checked={fields.active}
            onChange={event => setFields({ ...fields, active: event.currentTarget.checked })}
          />
        </>
      )}
    </FormDialog>
  )
}
