/** Messages by an id, a conversation or a participant; one of them beside the list, with what became of it. */
import { Anchor, Button, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { Message, Thread } from '../../sdk/index.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { readId } from '../parts/ids.ts';
import { Page, Section } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { longestQuery, useFoundMessages } from './find-messages.ts';
import { MessageDrawer } from './message-drawer.tsx';
import { MessageText } from './message-text.tsx';
import classes from './messages.module.css';

/** Milliseconds. */
const liveMs = 2_000;

export function Messages() {
  const texts = useTexts().messages;
  const { q, message } = useSearch({ from: '/signed-in/$projectId/$environmentId/messages' });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/messages' });
  return (
    <Page title={texts.title} about={texts.about}>
      <SearchField
        // Anew where the address has changed meanwhile.
        key={q ?? ''}
        q={q ?? ''}
        onSearch={wanted =>
          // Who has the id of one wants to see that one.
          void navigate({
            search: { q: wanted, message: readId(wanted ?? '') === 'message' ? wanted : undefined },
          })
        }
      />
      {q === undefined ? <p className={classes['hint']}>{texts.hint}</p> : <Result q={q} />}
      {message !== undefined && (
        <MessageDrawer
          key={message}
          messageId={message}
          onClose={() => void navigate({ search: before => ({ ...before, message: undefined }) })}
        />
      )}
    </Page>
  );
}

interface SearchFieldProps {
  readonly q: string;
  readonly onSearch: (q: string | undefined) => void;
}

function SearchField({ q, onSearch }: SearchFieldProps) {
  const texts = useTexts().messages;
  const [written, setWritten] = useState(q);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = written.trim();
    onSearch(wanted === '' ? undefined : wanted);
  };
  return (
    <form role="search" className={classes['search']} onSubmit={submit}>
      <TextInput
        className={classes['field']}
        label={texts.field}
        description={texts.fieldHint}
        spellCheck={false}
        autoComplete="off"
        maxLength={longestQuery}
        value={written}
        onChange={event => setWritten(event.currentTarget.value)}
      />
      <Button type="submit" size="sm" leftSection={<Search size={14} />}>
        {texts.find}
      </Button>
    </form>
  );
}

function Result({ q }: { readonly q: string }) {
  const texts = useTexts().messages;
  const { loading } = useKitTexts().shell;
  const { environmentId } = useTenant();
  const { data: found, dataUpdatedAt, error } = useFoundMessages(q);
  if (error !== null) return <ErrorNote error={error} />;
  if (found === undefined) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {loading}
      </Text>
    );
  }
  const { messages, threads, threadId } = found;
  if (threadId !== undefined) return <OfThread threadId={threadId} />;
  if (messages.length === 0 && threads.length === 0) {
    return (
      <p className={classes['hint']} role="status">
        {texts.nothing(q)}
      </p>
    );
  }
  return (
    <>
      {messages.length > 0 && (
        <MessageTable
          // Of this environment, and as they were found the last time.
          queryKey={['found', environmentId, q, dataUpdatedAt]}
          load={() => Promise.resolve(toPage(messages))}
        />
      )}
      {threads.length > 0 && <Threads threads={threads} />}
    </>
  );
}

const toPage = (data: readonly Message[]) => ({ data: [...data], nextCursor: null, hasMore: false });

function Threads({ threads }: { readonly threads: readonly Thread[] }) {
  const texts = useTexts().messages;
  const { projectId, environmentId } = useTenant();
  return (
    <Section title={texts.conversations}>
      <ul className={classes['threads']}>
        {threads.map(({ threadId, lastMessageAt }) => (
          <li key={threadId}>
            <PageLink
              to="/$projectId/$environmentId/messages"
              params={{ projectId, environmentId }}
              search={{ q: threadId }}
            >
              {threadId}
            </PageLink>{' '}
            <span>
              {texts.lastMessage} <Time at={lastMessageAt} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function OfThread({ threadId }: { readonly threadId: string }) {
  const texts = useTexts().messages;
  const { client, projectId, environmentId } = useTenant();
  return (
    <>
      <div className={classes['thread']}>
        <span>
          {texts.thread} <code>{threadId}</code>
        </span>
        <PageLink
          to="/$projectId/$environmentId/events"
          params={{ projectId, environmentId }}
          search={{ thread: threadId }}
        >
          {texts.toEvents}
        </PageLink>
        <Anchor size="sm" href={`/console/${projectId}/${environmentId}/all/${threadId}`}>
          {texts.toConsole}
        </Anchor>
      </div>
      <MessageTable
        queryKey={['thread-messages', threadId]}
        load={cursor => client.messages.list(threadId, { order: 'desc', cursor, limit: 50 })}
        refreshMs={liveMs}
      />
    </>
  );
}

interface MessageTableProps {
  readonly queryKey: readonly unknown[];
  readonly load: Parameters<typeof DataTable<Message>>[0]['load'];
  readonly refreshMs?: number;
}

function MessageTable({ queryKey, load, refreshMs }: MessageTableProps) {
  const texts = useTexts().messages;
  const navigate = useNavigate({ from: '/$projectId/$environmentId/messages' });
  const columns: Column<Message>[] = [
    {
      key: 'at',
      label: texts.at,
      isFixed: true,
      show: ({ messageId, createdAt }) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => void navigate({ search: before => ({ ...before, message: messageId }) })}
        >
          <Time at={createdAt} isExact />
        </Anchor>
      ),
    },
    { key: 'direction', label: texts.direction, show: ({ direction }) => texts.directions[direction] },
    { key: 'text', label: texts.text, show: message => <MessageText message={message} /> },
    {
      key: 'status',
      label: texts.status,
      show: ({ status }) => (status == null ? '–' : <State of={status} label={texts.states[status]} />),
    },
    {
      key: 'theirs',
      label: texts.externalId,
      show: ({ externalMessageId }) => <bdi>{externalMessageId ?? '–'}</bdi>,
      isExtra: true,
    },
    { key: 'thread', label: texts.thread, show: ({ threadId }) => threadId, isExtra: true },
    { key: 'id', label: 'ID', show: ({ messageId }) => messageId, isExtra: true },
  ];
  return (
    <DataTable
      name="messages"
      label={texts.title}
      queryKey={queryKey}
      load={load}
      rowKey={({ messageId }) => messageId}
      columns={columns}
      refreshMs={refreshMs}
      empty={texts.noMessages}
    />
  );
}
