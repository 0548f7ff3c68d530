/** What a webhook of the provider reports of the account: its templates, and whether something has happened to it. */
import type { ChatappTemplate } from '../../protocol/resources/index.ts';
import { readText } from './graph.ts';
import { type ChatappIdentity, listOwnChanges, readId, toStorable } from './payload.ts';

/** A template has another status. */
export interface TemplateChange {
  /** Of a change that is reported twice it is the same. */
  readonly key: string;
  /** Without its components: the provider does not repeat them. */
  readonly template: ChatappTemplate;
  /** Why, in the provider's words; null: it does not say. */
  readonly reason: string | null;
}

export interface AccountReport {
  /** In the order of the payload. */
  readonly templates: readonly TemplateChange[];
  /** Something has happened to the account, or to the app's place in it: whether the connection is still good has to be asked. */
  readonly isAccountChanged: boolean;
}

export function readAccountReport(payload: unknown, identity: ChatappIdentity): AccountReport {
  const templates: TemplateChange[] = [];
  let isAccountChanged = false;
  for (const { field, value, time } of listOwnChanges(payload, identity)) {
    if (field === 'account_update') isAccountChanged = true;
    if (field !== 'message_template_status_update') continue;
    const change = toTemplateChange(value, time);
    if (change !== undefined) templates.push(change);
  }
  return { templates, isAccountChanged };
}

const maxReasonLength = 1_024;

function toTemplateChange(value: unknown, time: string): TemplateChange | undefined {
  const name = readId(value, 'message_template_name');
  const language = readId(value, 'message_template_language');
  const status = readId(value, 'event').slice(0, 128);
  if (name === '' || language === '' || language.length > 32 || status === '') return undefined;
  // The id is a number in the provider's JSON, and may have more digits than a number keeps: then the name stands for it.
  const number = Number(readText(value, 'message_template_id'));
  const id =
    Number.isSafeInteger(number) && number > 0 ? String(number) : `${name}/${language}`.slice(0, 128);
  const category = readId(value, 'message_template_category').slice(0, 128);
  const reason = toStorable(readText(value, 'reason')).slice(0, maxReasonLength);
  return {
    key: [id, status, time].join(':'),
    template: {
      id,
      name,
      language,
      status,
      ...(category === '' ? {} : { category }),
      components: [],
    },
    reason: reason === '' || reason === 'NONE' ? null : reason,
  };
}
