/** The message templates of the business account, each with a preview. */
import { Anchor, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ChatappTemplate } from '../../../sdk/index.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { ChoiceFilter, TextFilter } from '../../parts/filters.tsx';
import { Section } from '../../parts/page.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import { texts as all } from '../../texts/chatapp.ts';
import { TemplateDrawer } from './template-drawer.tsx';
import { toParts } from './template-parts.ts';
import { findWord, TemplateState } from './template-state.tsx';

const texts = all.templates;

interface TemplatesProps {
  readonly channelId: string;
  readonly isConnected: boolean;
}

export function Templates({ channelId, isConnected }: TemplatesProps) {
  return (
    <Section title={texts.title}>
      <Text size="sm" c="dimmed" mb={8}>
        {isConnected ? texts.about : texts.notYet}
      </Text>
      {isConnected && <TemplateList channelId={channelId} />}
    </Section>
  );
}

function TemplateList({ channelId }: { readonly channelId: string }) {
  const { client } = useTenant();
  const search = useSearch({ from: '/signed-in/$projectId/$environmentId/channels/$channelId' });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/channels/$channelId' });
  const { name, status, template } = search;
  const open = (id: string | undefined): void =>
    void navigate({ search: before => ({ ...before, template: id }), resetScroll: false });
  const columns: Column<ChatappTemplate>[] = [
    {
      key: 'name',
      label: texts.name,
      isFixed: true,
      show: each => (
        <Anchor component="button" type="button" size="sm" onClick={() => open(each.id)}>
          <bdi>{each.name}</bdi>
        </Anchor>
      ),
    },
    { key: 'language', label: texts.language, show: each => each.language },
    { key: 'status', label: texts.status, show: each => <TemplateState status={each.status ?? ''} /> },
    {
      key: 'category',
      label: texts.category,
      show: ({ category = '' }) => findWord(texts.categories, category) ?? (category || '–'),
    },
    {
      key: 'text',
      label: texts.text,
      show: each => (
        <Text component="span" size="sm" lineClamp={1} dir="auto">
          {toParts(each).body}
        </Text>
      ),
    },
  ];
  const isFiltered = name !== undefined || status !== undefined;
  return (
    <>
      <DataTable
        name="templates"
        label={texts.title}
        queryKey={['templates', channelId, name, status]}
        load={cursor => client.chatapp.listTemplates(channelId, { name, status, cursor, limit: 50 })}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          isFiltered ? (
            texts.noneFound
          ) : (
            <>
              <b>{texts.none}</b>
              {texts.noneHint}
            </>
          )
        }
        controls={
          <>
            <TextFilter
              label={texts.name}
              value={name}
              onChange={value => void navigate({ search: before => ({ ...before, name: value }) })}
            />
            <ChoiceFilter
              label={texts.status}
              any={texts.anyStatus}
              value={status}
              onChange={value => void navigate({ search: before => ({ ...before, status: value }) })}
              choices={Object.entries(texts.states).map(([value, label]) => ({ value, label }))}
            />
          </>
        }
      />
      {template !== undefined && (
        <TemplateDrawer channelId={channelId} templateId={template} onClose={() => open(undefined)} />
      )}
    </>
  );
}
