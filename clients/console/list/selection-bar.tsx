/** What can be done to the chosen threads at once. */
import { Button, CloseButton, Menu } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../thread/conversations-context.tsx';
import { useNames } from '../thread/names.tsx';
import { useTexts } from '../texts/index.ts';
import { changeAll, type ThreadChange } from './change-all.ts';
import classes from './selection-bar.module.css';

interface SelectionBarProps {
  readonly threadIds: readonly string[];
  readonly onDone: () => void;
}

export function SelectionBar({ threadIds, onDone }: SelectionBarProps) {
  const texts = useTexts().list.selection;
  const client = useClient();
  const { colleagues } = useNames();
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState(0);
  const change = async (what: ThreadChange): Promise<void> => {
    setBusy(true);
    const failures = await changeAll(client, threadIds, what);
    setBusy(false);
    setFailed(failures);
    if (failures === 0) onDone();
  };
  return (
    <div className={classes['bar']} role="toolbar" aria-label={texts.label}>
      <span className={classes['count']} role="status">
        {failed > 0 ? texts.failed(failed) : texts.chosen(threadIds.length)}
      </span>
      <Button
        size="compact-xs"
        variant="default"
        loading={isBusy}
        onClick={() => void change({ action: 'close' })}
      >
        {texts.close}
      </Button>
      <Menu position="top-end" shadow="md">
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
      <Menu position="top-end" shadow="md">
        <Menu.Target>
          <Button size="compact-xs" variant="default" disabled={isBusy}>
            {texts.mode}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(['auto', 'suggest', 'paused'] as const).map(agentMode => (
            <Menu.Item key={agentMode} onClick={() => void change({ action: 'setAgentMode', agentMode })}>
              {texts.modes[agentMode]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <CloseButton size="sm" aria-label={texts.clear} onClick={onDone} />
    </div>
  );
}
