/** What can be done to the conversation that is open: by a key, or by its name in the palette. */
import { useTimeZone } from '../../kit/people/use-profile.ts';
import type { Thread } from '../../sdk/index.ts';
import { agentModes } from '../agent/modes.ts';
import { askPalette } from '../search/ask-palette.ts';
import { type PageCommand, usePageCommands } from '../shell/page-commands.ts';
import { useTexts } from '../texts/index.ts';
import { useConversing } from './conversations-context.tsx';
import type { Names } from './names.tsx';
import { listSnoozes } from './snoozes.ts';
import type { useThreadUpdate } from './use-thread-update.ts';

interface ThreadCommandsProps {
  readonly thread: Thread;
  readonly names: Names;
  readonly update: ReturnType<typeof useThreadUpdate>;
  readonly untag: (tag: string) => void;
  readonly assign: (userId: string | null) => void;
  readonly copyLink: () => void;
  readonly onToggleDetails: () => void;
  /** Leads to where tags are written. */
  readonly onTags: () => void;
}

export function useThreadCommands(props: ThreadCommandsProps): void {
  const { names, copyLink, onToggleDetails } = props;
  const { header: texts } = useTexts().thread;
  const changes = useChanges(props);
  const { commands: labels } = useTexts().search;
  usePageCommands([
    { id: 'details', key: 'D', label: texts.details, run: onToggleDetails },
    { id: 'link', label: texts.copyLink, run: copyLink },
    ...(names.mayAnswer
      ? [
          ...changes,
          // Each opens the palette where there is more than one answer.
          {
            id: 'choose-assignee',
            key: 'I',
            label: labels.assign,
            run: () => askPalette(`> ${texts.assign} `),
          },
          { id: 'choose-mode', key: 'M', label: labels.mode, run: () => askPalette(`> ${texts.mode} `) },
          {
            id: 'choose-snooze',
            key: 'S',
            label: labels.snooze,
            run: () => askPalette(`> ${texts.snooze} `),
          },
        ]
      : []),
  ]);
}

/** What an operator who may answer can change. */
function useChanges(props: ThreadCommandsProps): readonly PageCommand[] {
  const { thread, names, update, untag, assign, onTags } = props;
  const { header: texts, participant } = useTexts().thread;
  const { userId } = useConversing();
  const timeZone = useTimeZone();
  const { status, assigneeUserId = null, snoozedUntil = null, tags = [] } = thread;
  const isOpen = status === 'open';
  const isArchived = status === 'archived';
  const commands: PageCommand[] = [
    {
      id: 'close',
      key: 'E',
      label: isOpen ? texts.close : texts.reopen,
      run: () => void update({ status: isOpen ? 'closed' : 'open' }),
    },
    {
      id: 'archive',
      key: 'shift+E',
      label: isArchived ? texts.restore : texts.archive,
      run: () => void update({ status: isArchived ? 'open' : 'archived' }),
    },
    { id: 'tags', key: 'L', label: participant.addTag, run: onTags },
  ];
  if (assigneeUserId !== userId)
    commands.push({ id: 'assign-me', key: 'A', label: texts.assignToMe, run: () => assign(userId) });
  if (assigneeUserId !== null)
    commands.push({ id: 'assign-nobody', label: texts.unassign, run: () => assign(null) });
  for (const { userId: to, name, isMe, canAnswer } of names.colleagues)
    if (canAnswer && !isMe && to !== assigneeUserId)
      commands.push({ id: `assign-${to}`, label: `${texts.assign}: ${name}`, run: () => assign(to) });
  for (const agentMode of agentModes)
    if (agentMode !== thread.agentMode)
      commands.push({
        id: `mode-${agentMode}`,
        label: `${texts.mode}: ${texts.modes[agentMode]}`,
        run: () => void update({ agentMode }),
      });
  if (snoozedUntil !== null)
    commands.push({ id: 'wake', label: texts.wake, run: () => void update({ snoozedUntil: null }) });
  else if (isOpen)
    for (const { name } of listSnoozes(new Date(), timeZone))
      commands.push({
        id: `snooze-${name}`,
        label: `${texts.snooze}: ${texts.snoozeFor[name]}`,
        // From the moment that it is chosen.
        run: () => void update({ snoozedUntil: findSnooze(name, timeZone) }),
      });
  for (const tag of tags)
    commands.push({
      id: `untag-${tag}`,
      label: participant.removeTag(tag),
      run: () => untag(tag),
    });
  return commands;
}

function findSnooze(name: string, timeZone: string | undefined): string | null {
  const chosen = listSnoozes(new Date(), timeZone).find(each => each.name === name);
  return chosen?.until.toISOString() ?? null;
}
