/** Says before anybody types in vain whether what is written would be sent, and offers a template where only those are. */
import { Button } from '@mantine/core';
import type { Thread } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import type { Composition } from './use-composition.ts';
import { findTemplateChannel } from './use-templates.ts';
import classes from './composer.module.css';

interface PermissionProps {
  readonly thread: Thread;
  readonly composition: Composition;
  /** Undefined while the templates are shown. */
  readonly onChooseTemplate: (() => void) | undefined;
}

/** What is wrong with the message itself, and not with the moment. */
const invalidMessage = 'svc/validation/invalid_request';

export function Permission({ thread, composition, onChooseTemplate }: PermissionProps) {
  const texts = useTexts().thread.composer;
  const { kind, length, maxLength, check } = composition;
  const { answer, problem, obstacle } = check;
  if (kind === 'note') return null;
  // How much it is too long is said below the text.
  if (length > maxLength) return null;
  if (problem !== undefined) return <Notice>{texts.wouldFail(withoutPath(problem))}</Notice>;
  if (answer === undefined) return null;
  const { allowed, reason } = answer;
  const channelId = answer.channelId ?? thread.channelId;
  if (allowed) return channelId == null ? <Notice>{texts.noChannel}</Notice> : null;
  if (findTemplateChannel(thread, composition) !== undefined)
    return (
      <div className={classes['notice']}>
        <span role="status">{texts.windowClosed}</span>
        {onChooseTemplate !== undefined && (
          <Button variant="default" size="compact-xs" onClick={onChooseTemplate}>
            {texts.chooseTemplate}
          </Button>
        )}
      </div>
    );
  if (obstacle === undefined) return null;
  const said =
    reason === invalidMessage ? texts.wouldFail(withoutPath(obstacle)) : texts.notAllowed(obstacle);
  return <Notice>{said}</Notice>;
}

/** Where it stands in the request says nothing to an operator. */
const withoutPath = (why: string): string => why.replace(/^\/body\//, '');

function Notice({ children }: { readonly children: string }) {
  return (
    <p className={classes['notice']} role="status">
      {children}
    </p>
  );
}
