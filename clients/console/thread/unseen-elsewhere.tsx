/** Tells the operator who has gone on to something else that the conversation which they left was not put away. */
import { Button, CloseButton } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { MessageSquareWarning } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { withoutMessage } from '../list/use-filters.ts';
import { toParticipantName } from '../people/participant-name.ts';
import classes from '../shell/notices.module.css';
import { useTexts } from '../texts/index.ts';
import { useConversing } from './conversations-context.tsx';

/** Of more, the newest are told; all are still in the list. */
const mostShown = 3;

/** No text has it. */
const nameHere = '\0';

export function UnseenElsewhere() {
  const { thread: texts, list } = useTexts();
  const navigate = useNavigate();
  const { projectId, environmentId, unseen } = useConversing();
  const { threadId: opened, queue = 'all' } = useParams({ strict: false });
  const refused = useSyncExternalStore(unseen.onChange, unseen.getAll);
  // Whoever has the conversation open is told there, and once is enough.
  const elsewhere = refused
    .filter(({ thread, wasTold }) => wasTold !== true && thread.threadId !== opened)
    .slice(-mostShown);
  return elsewhere.map(({ thread }) => {
    const { threadId } = thread;
    return (
      <div key={threadId} className={classes['notice']}>
        <MessageSquareWarning size={15} aria-hidden />
        <div>
          <p>
            <Told name={toParticipantName(thread, list.participantNames)} />
          </p>
          <Button
            variant="default"
            size="compact-xs"
            onClick={() =>
              void navigate({
                to: '/$projectId/$environmentId/$queue/$threadId',
                params: { projectId, environmentId, queue, threadId },
                search: withoutMessage,
              })
            }
          >
            {texts.header.readUnseen}
          </Button>
        </div>
        <CloseButton size="sm" aria-label={texts.dismiss} onClick={() => unseen.remove(threadId)} />
      </div>
    );
  });
}

/** The name alone is isolated: the sentence has the direction of the page, whatever letters the name begins with. */
function Told({ name }: { readonly name: string }) {
  const { unseenOf } = useTexts().thread.header;
  const [before, after] = unseenOf(nameHere).split(nameHere);
  return (
    <>
      {before}
      <bdi>{name}</bdi>
      {after}
    </>
  );
}
