/** The provider's word for the state of a template, in the reader's. */
import { Badge } from '@mantine/core';
import { texts } from '../../texts/chatapp.ts';

const colors: Readonly<Record<string, string>> = {
  APPROVED: 'green',
  PENDING: 'yellow',
  IN_APPEAL: 'yellow',
  PAUSED: 'yellow',
  REJECTED: 'red',
  DISABLED: 'red',
};

/** Undefined for a word that is not known here: the provider may have new ones. */
export const findWord = (of: Readonly<Record<string, string>>, word: string): string | undefined =>
  Object.hasOwn(of, word) ? of[word] : undefined;

export function TemplateState({ status }: { readonly status: string }) {
  if (status === '') return '–';
  return (
    <Badge color={colors[status] ?? 'gray'} data-state={status}>
      {findWord(texts.templates.states, status) ?? status}
    </Badge>
  );
}
