/** What is known of a participant, in all their conversations of the environment, as a file to hand to them. */
import { Button, Text, TextInput } from '@mantine/core';
import { UserSearch } from 'lucide-react';
import { useState } from 'react';
import type { Skein } from '../../sdk/index.ts';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
import { linesType, saveFile } from '../parts/save-file.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

/** The filter by which the page shows one conversation, if it does. */
export function PersonalData({ threadId }: { readonly threadId: string | undefined }) {
  const texts = useTexts().events.person;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<UserSearch size={14} />} onClick={() => setOpen(true)}>
        {texts.open}
      </Button>
      {isOpen && <PersonalDataDialog given={threadId} onClose={() => setOpen(false)} />}
    </>
  );
}

interface PersonalDataDialogProps {
  readonly given: string | undefined;
  readonly onClose: () => void;
}

function PersonalDataDialog({ given = '', onClose }: PersonalDataDialogProps) {
  const texts = useTexts().events.person;
  const { client } = useTenant();
  const [name, setName] = useState(given);
  const [found, setFound] = useState<{ readonly of: string; readonly conversations: number }>();
  const save = async (): Promise<void> => {
    const of = name.trim();
    const threadIds = await findThreads(client, of);
    setFound({ of, conversations: threadIds.length });
    if (threadIds.length === 0) return;
    saveFile('personal-data.ndjson', linesType, await readLines(client, threadIds));
  };
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <DialogForm action={texts.save} isReady={name.trim() !== ''} run={save}>
        <Text size="sm">{texts.about}</Text>
        <TextInput
          data-autofocus
          label={texts.name}
          description={texts.nameHint}
          value={name}
          onChange={event => setName(event.currentTarget.value)}
        />
        <Text size="sm" role="status">
          {found !== undefined && texts.found(found.of, found.conversations)}
        </Text>
      </DialogForm>
    </Dialog>
  );
}

const mostThreads = 1_000;

/** By the id of a conversation, or by whom it is with: the participant of several channels has a conversation in each. */
async function findThreads(client: Skein, name: string): Promise<readonly string[]> {
  if (name.startsWith('thread_')) return [name];
  const threads = await client.threads.list({ participantRef: name, limit: 100 }).toArray(mostThreads);
  return threads.map(({ threadId }) => threadId);
}

async function readLines(client: Skein, threadIds: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const threadId of threadIds) {
    for await (const record of client.threads.listPersonalData(threadId, { limit: 100 })) {
      lines.push(`${JSON.stringify(record)}\n`);
    }
  }
  return lines;
}
