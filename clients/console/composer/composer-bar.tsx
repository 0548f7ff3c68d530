/** Below the text: reply or note, files, how long it is, and the button that sends it. */
import { ActionIcon, Button, FileButton, Menu, SegmentedControl, Tooltip } from '@mantine/core';
import { Paperclip, Send, Settings2 } from 'lucide-react';
import { useModifierKey } from '../../kit/modifier-key.ts';
import { RadioItem } from '../../kit/shell/radio-item.tsx';
import { useTexts } from '../texts/index.ts';
import { useOutgoing } from '../thread/conversations-context.tsx';
import { useFormats } from '../../kit/use-formats.ts';
import type { WrittenKind } from './drafts.ts';
import type { SendBy } from './send-setting.ts';
import { countUnsent } from './unsent.ts';
import type { Composition } from './use-composition.ts';

import classes from './composer.module.css';

/** The count is shown where so much of what may be written is used up. */
const shownFrom = 0.875;

interface ComposerBarProps {
  readonly threadId: string;
  readonly composition: Composition;
  readonly sendBy: SendBy;
  readonly onSendBy: (sendBy: SendBy) => void;
}

export function ComposerBar({ threadId, composition, sendBy, onSendBy }: ComposerBarProps) {
  const texts = useTexts().thread.composer;
  const { kind, setKind, attach, canSend } = composition;
  return (
    <div className={classes['bar']}>
      <SegmentedControl
        size="xs"
        aria-label={texts.kind}
        value={kind}
        onChange={value => setKind(value as WrittenKind)}
        data={[
          { value: 'reply', label: texts.reply },
          { value: 'note', label: texts.note },
        ]}
      />
      {kind === 'reply' && (
        <FileButton multiple onChange={attach}>
          {button => (
            <Tooltip label={texts.attach}>
              <ActionIcon {...button} aria-label={texts.attach}>
                <Paperclip size={16} />
              </ActionIcon>
            </Tooltip>
          )}
        </FileButton>
      )}
      <Queued threadId={threadId} />
      <span className={classes['spacer']} />
      <Count {...composition} />
      <SendSetting sendBy={sendBy} onChange={onSendBy} />
      <Button type="submit" size="xs" disabled={!canSend} leftSection={<Send size={14} aria-hidden />}>
        {kind === 'reply' ? texts.send : texts.saveNote}
      </Button>
    </div>
  );
}

function Count({ length, maxLength }: Pick<Composition, 'length' | 'maxLength'>) {
  const texts = useTexts().thread.composer;
  const formats = useFormats();
  if (length < maxLength * shownFrom) return null;
  return (
    <span className={classes['count']} data-over={length > maxLength || undefined} role="status">
      {length > maxLength
        ? texts.tooLong(length - maxLength, formats.number(length - maxLength))
        : texts.count(formats.number(length), formats.number(maxLength))}
    </span>
  );
}

/** What waits for the connection. */
function Queued({ threadId }: { readonly threadId: string }) {
  const texts = useTexts().thread.composer;
  const waiting = countUnsent(useOutgoing(threadId), 'waiting');
  return (
    <span className={classes['count']} role="status">
      {waiting > 0 && texts.queued(waiting)}
    </span>
  );
}

interface SendSettingProps {
  readonly sendBy: SendBy;
  readonly onChange: (sendBy: SendBy) => void;
}

function SendSetting({ sendBy, onChange }: SendSettingProps) {
  const texts = useTexts().thread.composer;
  const modifierKey = useModifierKey();
  return (
    <Menu position="top-end" withinPortal={false}>
      <Menu.Target>
        <ActionIcon aria-label={texts.sendSetting}>
          <Settings2 size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {(['enter', 'modEnter'] as const).map(each => (
          <RadioItem key={each} isChosen={sendBy === each} onChoose={() => onChange(each)}>
            {texts.sendBy[each](modifierKey)}
          </RadioItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
