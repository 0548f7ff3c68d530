/**
 * Whether the templates are shown. They open by themselves where nothing else can be sent in an open conversation, until the operator closes
 * them: once for each visit of a conversation. From when the operator has asked for them or begun one they stay, whatever happens; one that was
 * begun at an earlier visit is there again.
 *
 *   by itself, or kept where one was begun before
 *   by itself -> kept: asked for, or begun
 *   by itself -> closed -> kept: asked for
 *   kept -> closed: closed, or sent
 */
import { useState } from 'react';
import type { Thread } from '../../sdk/index.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import type { Composition } from './use-composition.ts';

type State =
  | { readonly is: 'by itself' | 'closed' }
  | { readonly is: 'kept'; readonly channelId: string; readonly isAsked: boolean };

const templateRequired = 'svc/chatapp/template_required';

/** The channel whose templates may be sent, where nothing else may; undefined: something else may, or a note is written. */
export function findTemplateChannel({ channelId }: Thread, { kind, check }: Composition): string | undefined {
  if (kind === 'note' || check.answer?.reason !== templateRequired) return undefined;
  return check.answer.channelId ?? channelId ?? undefined;
}

export function useTemplates(thread: Thread, composition: Composition) {
  const { drafts } = useConversing();
  const [state, setState] = useState((): State => {
    const { template } = drafts.get(thread.threadId);
    if (template === undefined) return { is: 'by itself' };
    return { is: 'kept', channelId: template.channelId, isAsked: false };
  });
  const needed = findTemplateChannel(thread, composition);
  const opened = state.is === 'by itself' && thread.status === 'open' ? needed : undefined;
  const keep = (channelId: string, isAsked: boolean): void => setState({ is: 'kept', channelId, isAsked });
  return {
    /** Of the templates that are shown; undefined: none are. */
    channelId: state.is === 'kept' ? state.channelId : opened,
    isAsked: state.is === 'kept' && state.isAsked,
    open: () => needed !== undefined && keep(needed, true),
    begin: () => opened !== undefined && keep(opened, false),
    close: () => setState({ is: 'closed' }),
  };
}
