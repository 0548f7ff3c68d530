/** Message templates of business accounts: the paged list, and what is checked of a template that is sent. */
import { type Accounts, managementScope } from './accounts.ts';
import { ProviderError } from './errors.ts';
import { type ProviderAnswer, type ProviderRequest, readText, type Route } from './requests.ts';

export interface Template {
  readonly name: string;
  readonly language: string;
  status: 'APPROVED' | 'PENDING' | 'REJECTED' | 'PAUSED' | 'DISABLED';
  readonly category: 'MARKETING' | 'UTILITY' | 'AUTHENTICATION';
  /** With `{{1}}`, `{{2}}` for its parameters. */
  readonly body: string;
  /** Of a header's file or text. */
  readonly header?: { readonly format: string; readonly text?: string };
  readonly footer?: string;
  readonly buttons?: readonly TemplateButton[];
}

interface TemplateButton {
  readonly type: string;
  readonly text: string;
  /** With `{{1}}` at its end for its parameter. */
  readonly url?: string;
}

interface ListedTemplate extends Template {
  readonly id: string;
}

interface SentComponent {
  readonly type?: string;
  readonly sub_type?: string;
  readonly index?: string | number;
  readonly parameters?: readonly unknown[];
}

const maxTextLength = 1_024;

export class Templates {
  readonly #accounts: Accounts;
  readonly #byAccount = new Map<string, ListedTemplate[]>();
  #ids = 0;

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  add(
    accountId: string,
    template: Partial<Template> & Pick<Template, 'name'>,
  ): Template & { readonly id: string } {
    const listed: ListedTemplate = {
      id: `30${String(++this.#ids).padStart(13, '0')}`,
      language: 'en_US',
      status: 'APPROVED',
      category: 'UTILITY',
      body: 'Hello',
      ...template,
    };
    const all = this.#byAccount.get(accountId) ?? [];
    this.#byAccount.set(accountId, [...all, listed]);
    return listed;
  }

  readonly route: Route = request => {
    const [id = '', second] = request.path;
    if (second !== 'message_templates') return undefined;
    const token = this.#accounts.requireToken(request.token, managementScope);
    this.#accounts.requireAccount(token, id);
    return this.#list(id, request);
  };

  /** Refuses a template that may not be sent so. */
  check(accountId: string, node: Readonly<Record<string, unknown>>): void {
    const name = readText(node, 'name');
    const language = readText((node['language'] ?? {}) as Record<string, unknown>, 'code');
    const template = this.#byAccount
      .get(accountId)
      ?.find(each => each.name === name && each.language === language);
    if (template?.status === 'PAUSED') throw new ProviderError(132015);
    if (template?.status === 'DISABLED') throw new ProviderError(132016);
    if (template?.status !== 'APPROVED') {
      const details = `template name (${name}) does not exist in ${language}`;
      throw new ProviderError(132001, { details });
    }
    const components = (node['components'] ?? []) as readonly SentComponent[];
    const given = components.find(({ type }) => type === 'body')?.parameters ?? [];
    const wanted = new Set(template.body.match(/\{\{\w+\}\}/g) ?? []).size;
    if (given.length !== wanted) {
      const details = `body: number of localizable_params (${given.length}) does not match the expected number of params (${wanted})`;
      throw new ProviderError(132000, { details });
    }
    checkHeader(template, components);
    checkButtons(template, components);
    for (const parameter of given) {
      const { type, text } = parameter as { readonly type?: string; readonly text?: string };
      if (type === 'text' && typeof text !== 'string') throw new ProviderError(132012);
      if ((text?.length ?? 0) > maxTextLength) throw new ProviderError(132005);
    }
  }

  #list(accountId: string, { query }: ProviderRequest): ProviderAnswer {
    const limit = Number(query.get('limit') ?? 25);
    const matching = (this.#byAccount.get(accountId) ?? []).filter(
      ({ name, status, language }) =>
        name.includes(query.get('name') ?? '') &&
        [null, status].includes(query.get('status') as Template['status'] | null) &&
        [null, language].includes(query.get('language')),
    );
    const start = query.has('after') ? matching.findIndex(({ id }) => id === query.get('after')) + 1 : 0;
    const page = matching.slice(start, start + limit);
    const cursors = { before: page[0]?.id ?? '', after: page.at(-1)?.id ?? '' };
    const next = start + limit < matching.length ? { next: `?after=${cursors.after}` } : {};
    return { body: { data: page.map(show), paging: { cursors, ...next } } };
  }
}

const fileFormats = ['IMAGE', 'VIDEO', 'DOCUMENT'];

/** A header with a file is filled by one of its kind. */
function checkHeader({ header }: ListedTemplate, components: readonly SentComponent[]): void {
  if (header === undefined || !fileFormats.includes(header.format)) return;
  const [parameter] = components.find(({ type }) => type === 'header')?.parameters ?? [];
  const kind = header.format.toLowerCase();
  const { type, [kind]: file } = (parameter ?? {}) as Readonly<Record<string, { readonly link?: string }>> & {
    readonly type?: string;
  };
  if (type !== kind || !file?.link?.startsWith('http')) {
    throw new ProviderError(132012, { details: `header: Format mismatch, expected ${header.format}` });
  }
}

/** A button with a variable address and one that copies a code want their parameter. */
function checkButtons({ buttons = [] }: ListedTemplate, components: readonly SentComponent[]): void {
  for (const [index, { type, url }] of buttons.entries()) {
    const subType = type === 'COPY_CODE' ? 'copy_code' : 'url';
    if (type !== 'COPY_CODE' && url?.includes('{{') !== true) continue;
    const sent = components.find(each => each.type === 'button' && Number(each.index) === index);
    if (sent?.sub_type !== subType || sent.parameters?.length !== 1) {
      const details = `Button at index ${index} of type ${type} requires a parameter`;
      throw new ProviderError(131008, { details });
    }
  }
}

function show({ id, name, language, status, category, ...parts }: ListedTemplate): object {
  const { header, body, footer, buttons } = parts;
  const components = [
    ...(header === undefined ? [] : [{ type: 'HEADER', ...header }]),
    { type: 'BODY', text: body },
    ...(footer === undefined ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(buttons === undefined ? [] : [{ type: 'BUTTONS', buttons }]),
  ];
  return { id, name, language, status, category, components, parameter_format: 'POSITIONAL' };
}
