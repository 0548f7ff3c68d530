/** Message templates of the chat provider: what they say, what has to be filled in, and what cannot be filled in here. */
import type { ChatappTemplate } from '../../sdk/index.ts';

interface TemplateButton {
  readonly type?: string;
  readonly text?: string;
  readonly url?: string;
}

interface TemplateComponent {
  readonly type?: string;
  /** Of a header: TEXT, or the kind of its file. */
  readonly format?: string;
  readonly text?: string;
  readonly buttons?: readonly TemplateButton[];
}

type TextPart = 'header' | 'body';
type FileFormat = 'image' | 'video' | 'document';

/** One value that a template asks for. */
export type TemplateField =
  /** The name is a number, or a word that the business gave it. */
  | { readonly is: 'text'; readonly component: TextPart; readonly name: string }
  /** The header's file. The provider fetches it from an address. */
  | { readonly is: 'file'; readonly format: FileFormat }
  /** The end of the address that a button opens, or the code that it copies. `index` counts all buttons. */
  | { readonly is: 'url' | 'code'; readonly index: number; readonly label: string };

export type TemplateValues = Readonly<Record<string, string>>;

/** What only the API can fill: a header, a button or a whole part, and its kind in the provider's words. */
export interface TemplateObstacle {
  readonly part: 'header' | 'button' | 'component';
  readonly kind: string;
}

/** As the server reads them. */
const placeholder = /\{\{\s*(\w+)\s*\}\}/g;
const isNumber = (name: string): boolean => /^\d+$/.test(name);
const fileFormats: readonly string[] = ['image', 'video', 'document'] satisfies FileFormat[];
/** Buttons that are sent as they are, or with a text. The type OTP copies a code by an address. */
const knownButtons: readonly string[] = [
  'QUICK_REPLY',
  'PHONE_NUMBER',
  'VOICE_CALL',
  'URL',
  'OTP',
  'COPY_CODE',
];
const knownComponents: readonly string[] = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'];

const listComponents = ({ components }: ChatappTemplate): readonly TemplateComponent[] =>
  components as readonly TemplateComponent[];
const upper = (text: unknown): string => (typeof text === 'string' ? text.toUpperCase() : '');
const findComponent = (template: ChatappTemplate, wanted: string): TemplateComponent | undefined =>
  listComponents(template).find(({ type }) => upper(type) === wanted);
const getText = (component: TemplateComponent | undefined): string =>
  typeof component?.text === 'string' ? component.text : '';
const getFormat = (header: TemplateComponent | undefined): string => upper(header?.format) || 'TEXT';

export const getBody = (template: ChatappTemplate): string => getText(findComponent(template, 'BODY'));

export function listButtons(template: ChatappTemplate): readonly TemplateButton[] {
  const buttons = findComponent(template, 'BUTTONS')?.buttons;
  return Array.isArray(buttons) ? buttons : [];
}

export function findObstacle(template: ChatappTemplate): TemplateObstacle | undefined {
  const other = listComponents(template).find(({ type }) => !knownComponents.includes(upper(type)));
  if (other !== undefined) return { part: 'component', kind: upper(other.type) };
  const format = getFormat(findComponent(template, 'HEADER'));
  if (format !== 'TEXT' && !fileFormats.includes(format.toLowerCase()))
    return { part: 'header', kind: format };
  const button = listButtons(template).find(({ type }) => !knownButtons.includes(upper(type)));
  return button === undefined ? undefined : { part: 'button', kind: upper(button.type) };
}

export function listFields(template: ChatappTemplate): readonly TemplateField[] {
  const header = findComponent(template, 'HEADER');
  const format = getFormat(header).toLowerCase();
  return [
    ...(fileFormats.includes(format)
      ? [{ is: 'file', format: format as FileFormat } as const]
      : listTextFields('header', getText(header))),
    ...listTextFields('body', getBody(template)),
    ...listButtons(template).flatMap(toButtonField),
  ];
}

/** Each once; those with numbers in the order of their numbers, as the provider fills them. */
function listTextFields(component: TextPart, text: string): TemplateField[] {
  const names = [...new Set([...text.matchAll(placeholder)].map(([, name = '']) => name))];
  if (names.every(isNumber)) names.sort((one, other) => Number(one) - Number(other));
  return names.map(name => ({ is: 'text', component, name }));
}

function toButtonField({ type, text = '', url = '' }: TemplateButton, index: number): TemplateField[] {
  const kind = upper(type);
  if (kind === 'COPY_CODE') return [{ is: 'code', index, label: text }];
  const hasVariable = kind === 'OTP' || (kind === 'URL' && url.match(placeholder) !== null);
  return hasVariable ? [{ is: 'url', index, label: text }] : [];
}

export function toFieldKey(field: TemplateField): string {
  if (field.is === 'text') return `${field.component} ${field.name}`;
  return field.is === 'file' ? 'header' : `button ${field.index}`;
}

const getValue = (values: TemplateValues, field: TemplateField): string =>
  (values[toFieldKey(field)] ?? '').trim();

/** Whether the provider can fetch from it: whatever it refuses then is told by the message. */
export function isFileAddress(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:';
}

export function isFilled(field: TemplateField, values: TemplateValues): boolean {
  const value = getValue(values, field);
  return field.is === 'file' ? isFileAddress(value) : value !== '';
}

/** What fills the fields, as the provider wants it. */
export function toComponents(
  template: ChatappTemplate,
  values: TemplateValues,
): readonly Record<string, unknown>[] {
  const fields = listFields(template);
  const texts = (['header', 'body'] as const)
    .map(type => ({
      type,
      parameters: fields.flatMap((field): readonly Parameter[] => {
        if (field.is === 'text' && field.component === type) return [toTextParameter(field, values)];
        return field.is === 'file' && type === 'header' ? [toFileParameter(field, values)] : [];
      }),
    }))
    .filter(({ parameters }) => parameters.length > 0);
  return [...texts, ...fields.flatMap(field => toButtonComponent(field, values))];
}

type Parameter = Readonly<Record<string, unknown>>;

function toTextParameter(field: TemplateField & { readonly is: 'text' }, values: TemplateValues): Parameter {
  const name = isNumber(field.name) ? {} : { parameter_name: field.name };
  return { type: 'text', ...name, text: getValue(values, field) };
}

/** A document is shown with the name that it has in its address. */
function toFileParameter(field: TemplateField & { readonly is: 'file' }, values: TemplateValues): Parameter {
  const link = getValue(values, field);
  const name = isFileAddress(link) ? new URL(link).pathname.split('/').at(-1) : undefined;
  const filename = field.format === 'document' && name ? { filename: decode(name) } : {};
  return { type: field.format, [field.format]: { link, ...filename } };
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function toButtonComponent(field: TemplateField, values: TemplateValues): Record<string, unknown>[] {
  if (field.is !== 'url' && field.is !== 'code') return [];
  const value = getValue(values, field);
  const common = { type: 'button', index: String(field.index) };
  return field.is === 'url'
    ? [{ ...common, sub_type: 'url', parameters: [{ type: 'text', text: value }] }]
    : [{ ...common, sub_type: 'copy_code', parameters: [{ type: 'coupon_code', coupon_code: value }] }];
}

/** The text as it will read, of all its parts but the buttons, as the server writes it. What is not filled in stays as it is. */
export function fillText(template: ChatappTemplate, values: TemplateValues): string {
  const header = findComponent(template, 'HEADER');
  const format = getFormat(header);
  const parts = [
    format === 'TEXT' ? fill('header', getText(header), values) : `[${format.toLowerCase()}]`,
    fill('body', getBody(template), values),
    getText(findComponent(template, 'FOOTER')),
  ];
  return parts.filter(part => part !== '').join('\n\n');
}

function fill(component: TextPart, text: string, values: TemplateValues): string {
  return text.replace(placeholder, (whole, name: string) => {
    const value = getValue(values, { is: 'text', component, name });
    return value === '' ? whole : value;
  });
}

/** Where a button leads, with what was filled in; undefined: nowhere. */
export function fillButton(
  { url }: TemplateButton,
  index: number,
  values: TemplateValues,
): string | undefined {
  const value = values[`button ${index}`]?.trim();
  return value ? url?.replace(placeholder, () => value) : url;
}
