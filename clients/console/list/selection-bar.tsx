/** What can be done to the chosen threads at once. */
import { Button, CloseButton, Group, Menu, Popover, Stack, TagsInput } from '@mantine/core';
import { useState } from 'react';
import type { Thread } from '../../sdk/index.ts';
import { agentModes } from '../agent/modes.ts';
import { SnoozeItems, useSnoozeDialog } from '../thread/snooze-items.tsx';
import { useNames } from '../thread/names.tsx';
import { useTexts } from '../texts/index.ts';
import { isTag, mostTags } from '../participant/tag.ts';
import type { Reason, ThreadChange } from './change-all.ts';
import { mostChosen } from './use-chosen.ts';
import { useSelectionChange } from './use-selection-change.ts';
import classes from './selection-bar.module.css';

interface SelectionBarProps {
  readonly threadIds: readonly string[];
  /** Tags to choose from: any others may be written. */
  readonly tags: readonly string[];
  /** Chooses all that are listed; undefined: they are, or more may not be. */
  readonly onAll: (() => void) | undefined;
  readonly onClear: () => void;
  /** A thread as its row shows it. */
  readonly findThread: (threadId: string) => Thread | undefined;
  /** Called with those that were refused. */
  readonly onChanged: (refused: readonly string[]) => void;
}

/** Reasons that are told: a list of them says no more than the first. */
const mostReasons = 3;

export default function SelectionBar(props: SelectionBarProps) {
  const { threadIds, tags, onAll, onClear, findThread, onChanged } = props;
  const texts = useTexts().list.selection;
  const { header: headerTexts } = useTexts().thread;
  const { colleagues } = useNames();
  const { isBusy, change, reasons, anyway } = useSelectionChange({ threadIds, findThread, onChanged });
  const snooze = (until: Date): void => void change({ action: 'snooze', snoozedUntil: until.toISOString() });
  const ownSnooze = useSnoozeDialog(snooze);
  return (
    <div className={classes['bar']} role="toolbar" aria-label={texts.label}>
      <Told count={threadIds.length} reasons={reasons} />
      {anyway !== undefined && (
        <Button size="compact-xs" disabled={isBusy} onClick={() => void anyway.run()}>
          {anyway.label}
        </Button>
      )}
      {onAll !== undefined && (
        <Button size="compact-xs" variant="subtle" disabled={isBusy} onClick={onAll}>
          {texts.all}
        </Button>
      )}
      <div className={classes['actions']}>
        <Button
          size="compact-xs"
          variant="default"
          loading={isBusy}
          onClick={() => void change({ action: 'close' })}
        >
          {texts.close}
        </Button>
        <Menu position="top-end" shadow="md" withinPortal={false}>
          <Menu.Target>
            <Button size="compact-xs" variant="default" disabled={isBusy}>
              {texts.assign}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {colleagues
              .filter(({ canAnswer }) => canAnswer)
              .map(({ userId, name }) => (
                <Menu.Item key={userId} onClick={() => void change({ action: 'assign', userId })}>
                  {name}
                </Menu.Item>
              ))}
            <Menu.Item onClick={() => void change({ action: 'assign', userId: null })}>
              {texts.nobody}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <TagChange known={tags} isBusy={isBusy} onChange={change} />
        <Menu position="top-end" shadow="md" withinPortal={false}>
          <Menu.Target>
            <Button size="compact-xs" variant="default" disabled={isBusy}>
              {texts.mode}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {agentModes.map(agentMode => (
              <Menu.Item key={agentMode} onClick={() => void change({ action: 'setAgentMode', agentMode })}>
                {texts.modes[agentMode]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Menu position="top-end" shadow="md" withinPortal={false}>
          <Menu.Target>
            <Button size="compact-xs" variant="default" disabled={isBusy}>
              {headerTexts.snooze}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <SnoozeItems onChosen={snooze} onOwn={ownSnooze.open} />
            <Menu.Divider />
            <Menu.Item onClick={() => void change({ action: 'snooze', snoozedUntil: null })}>
              {headerTexts.wake}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        {ownSnooze.dialog}
        <CloseButton size="sm" aria-label={texts.clear} onClick={onClear} />
      </div>
    </div>
  );
}

interface ToldProps {
  /** Of the chosen threads. */
  readonly count: number;
  /** Why the last change was refused for all of them; undefined: it was not. */
  readonly reasons: readonly Reason[] | undefined;
}

function Told({ count, reasons }: ToldProps) {
  const texts = useTexts().list.selection;
  return (
    <div className={classes['told']} role="status">
      <span className={classes['count']}>
        {reasons !== undefined
          ? texts.failed(count)
          : count === mostChosen
            ? texts.mostChosen(mostChosen)
            : texts.chosen(count)}
      </span>
      {reasons?.slice(0, mostReasons).map(reason => (
        <span key={reason.text} className={classes['reason']}>
          {reasons.length === 1 ? reason.text : `${reason.text} (${reason.count})`}
        </span>
      ))}
    </div>
  );
}

interface TagChangeProps {
  readonly known: readonly string[];
  readonly isBusy: boolean;
  readonly onChange: (change: ThreadChange) => Promise<void>;
}

/** Gives tags to the chosen threads, or takes them away. */
function TagChange({ known, isBusy, onChange }: TagChangeProps) {
  const { selection: texts } = useTexts().list;
  const { badTag } = useTexts().thread.participant;
  const [isOpen, setOpen] = useState(false);
  const [tags, setTags] = useState<readonly string[]>([]);
  const isBad = tags.some(tag => !isTag(tag));
  const change = (action: 'addTags' | 'removeTags'): void => {
    setOpen(false);
    setTags([]);
    void onChange({ action, tags });
  };
  const button = (action: 'addTags' | 'removeTags') => (
    <Button
      size="compact-xs"
      variant={action === 'addTags' ? 'filled' : 'default'}
      disabled={tags.length === 0 || isBad}
      onClick={() => change(action)}
    >
      {texts[action]}
    </Button>
  );
  return (
    <Popover position="top" width={240} shadow="md" trapFocus opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Button size="compact-xs" variant="default" disabled={isBusy} onClick={() => setOpen(!isOpen)}>
          {texts.tag}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <TagsInput
            size="xs"
            aria-label={texts.tags}
            placeholder={tags.length === 0 ? texts.tags : undefined}
            data={known}
            maxTags={mostTags}
            acceptValueOnBlur
            error={isBad && badTag}
            // Not over the buttons below.
            comboboxProps={{ withinPortal: false, position: 'top' }}
            value={[...tags]}
            onChange={setTags}
          />
          <Group gap="xs">
            {button('addTags')}
            {button('removeTags')}
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
