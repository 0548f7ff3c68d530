/**
 * Message templates of a business account: the provider's list of them, what is wrong with one as it would be sent, and the text that its
 * receiver reads.
 *
 * A template has components: a header, a body, a footer, buttons. The texts of header and body may have parameters, `{{1}}` or `{{name}}`,
 * which the sender fills.
 */
import { type ChatappTemplate, maxMessageLength } from '../../protocol/resources/index.ts';
import { getNextCursor, type Graph, type GraphCredentials, read, readList, readText } from './graph.ts';
import { toStorable } from './payload.ts';

export interface TemplateFilter {
  /** A part of the name. */
  readonly name?: string | undefined;
  readonly status?: string | undefined;
  readonly category?: string | undefined;
  readonly language?: string | undefined;
}

export interface TemplateQuery extends TemplateFilter {
  readonly wabaId: string;
  readonly limit: number;
  /** Where the previous page ended; undefined: the first page. */
  readonly after?: string | undefined;
}

export interface TemplatePage {
  readonly templates: readonly ChatappTemplate[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

/** One page, as the provider orders it. Rejects with `GraphError`. */
export async function listTemplates(
  graph: Graph,
  as: GraphCredentials,
  { wabaId, limit, ...filter }: TemplateQuery,
  signal: AbortSignal,
): Promise<TemplatePage> {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const query = { fields, limit: String(limit), ...Object.fromEntries(given) };
  const path = `${encodeURIComponent(wabaId)}/message_templates`;
  const page = await graph.call({ path, as, query }, signal);
  return { templates: readList(page, 'data').flatMap(toTemplate), next: getNextCursor(page) };
}

const fields = 'id,name,language,status,category,components';

/** Pages that are read for one name: the filter finds names that contain it, too. */
const maxPages = 5;

/** The template of that very name and language; undefined where there is none. Rejects with `GraphError`. */
export async function findTemplate(
  graph: Graph,
  as: GraphCredentials,
  { wabaId, name, language }: { readonly wabaId: string; readonly name: string; readonly language: string },
  signal: AbortSignal,
): Promise<ChatappTemplate | undefined> {
  let after: string | undefined;
  for (let page = 1; page <= maxPages; page++) {
    const found = await listTemplates(graph, as, { wabaId, name, language, limit: 100, after }, signal);
    const template = found.templates.find(each => each.name === name && each.language === language);
    after = found.next;
    if (template !== undefined || after === undefined) return template;
  }
  return undefined;
}

/** Nothing for what is no template. */
function toTemplate(node: unknown): ChatappTemplate[] {
  const [id, name, language] = ['id', 'name', 'language'].map(field => readText(node, field));
  if (!id || !name || !language) return [];
  const category = readText(node, 'category');
  const status = readText(node, 'status');
  return [
    {
      id,
      name,
      language,
      ...(category === '' ? {} : { category }),
      ...(status === '' ? {} : { status }),
      components: readList(node, 'components').filter(isObject),
    },
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What fills a template's parameters, as the provider defines it. */
export type SentComponents = readonly Readonly<Record<string, unknown>>[];

/** Why the provider would not send a template, and which field of the request is to blame. */
export interface TemplateObstacle {
  readonly field: 'templateName' | 'components';
  readonly message: string;
}

/** Undefined: nothing is known against it. */
export function findTemplateObstacle(
  { status, components }: ChatappTemplate,
  sent: SentComponents,
): TemplateObstacle | undefined {
  if (status !== undefined && status !== 'APPROVED') {
    return { field: 'templateName', message: `names a template that is not approved: it is ${status}` };
  }
  for (const type of ['HEADER', 'BODY']) {
    const component = findComponent(components, type);
    const { texts, byName } = readParameters(sent, type);
    const wanted = hasFile(component) ? ['1'] : listParameters(readText(component, 'text'));
    const missing = wanted.filter(parameter => isNamed(parameter) && !byName.has(parameter));
    if (texts.length !== wanted.length || missing.length > 0) {
      const names = wanted.length === 0 ? '' : ` (${wanted.join(', ')})`;
      const message = `must fill ${wanted.length} parameters of the ${type.toLowerCase()}${names}, and has ${texts.length}`;
      return { field: 'components', message };
    }
    if (readList(findComponent(sent, type), 'parameters').some(isUnfit)) {
      return { field: 'components', message: unfitMessage };
    }
  }
  return undefined;
}

/** A text has neither nothing, nor line breaks and tabs, nor more than four spaces one after the other. */
const unfitText = /^\s*$|[\r\n\t]| {5}/;
/** Code points: the whole text that it fills may have no more. */
const maxParameterLength = 1_024;
const unfitMessage = `must have texts of 1 to ${maxParameterLength} characters, without line breaks, tabs and more than four spaces in a row`;

function isUnfit(parameter: unknown): boolean {
  if (readText(parameter, 'type') !== 'text') return false;
  const text = readText(parameter, 'text');
  return unfitText.test(text) || Array.from(text).length > maxParameterLength;
}

/** Whether it is a picture, a film, a document or a place: its only parameter. */
function hasFile(component: unknown): boolean {
  return !['', 'TEXT'].includes(readText(component, 'format'));
}

/**
 * The text that the receiver reads, without buttons; never empty.
 *
 * @param template undefined: its texts are not known
 */
export function describeTemplate(
  template: ChatappTemplate | undefined,
  name: string,
  sent: SentComponents,
): string {
  const components = template?.components ?? [];
  const parts = ['HEADER', 'BODY', 'FOOTER'].flatMap(type => {
    const component = findComponent(components, type);
    if (hasFile(component)) return [`[${readText(component, 'format').toLowerCase()}]`];
    const text = readText(component, 'text');
    return text === '' ? [] : [fill(text, readParameters(sent, type))];
  });
  const text = toStorable(parts.join('\n\n')).trim();
  return text === '' ? `[Template: ${name}]` : Array.from(text).slice(0, maxMessageLength).join('');
}

function findComponent(components: SentComponents, type: string): unknown {
  return components.find(each => readText(each, 'type').toUpperCase() === type);
}

const parameterPattern = /\{\{\s*(\w+)\s*\}\}/g;

/** Each once. */
function listParameters(text: string): string[] {
  return [...new Set([...text.matchAll(parameterPattern)].map(([, parameter = '']) => parameter))];
}

function isNamed(parameter: string): boolean {
  return !/^\d+$/.test(parameter);
}

interface Parameters {
  /** In their order. */
  readonly texts: readonly string[];
  readonly byName: ReadonlyMap<string, string>;
}

function readParameters(sent: SentComponents, type: string): Parameters {
  const nodes = readList(findComponent(sent, type), 'parameters');
  const byName = new Map(nodes.map(node => [readText(node, 'parameter_name'), toText(node)]));
  return { texts: nodes.map(toText), byName };
}

/** An amount or a time is shown by the receiver's own device: the fallback is what others show. */
function toText(node: unknown): string {
  const type = readText(node, 'type');
  return type === 'text' ? readText(node, 'text') : readText(read(node, type), 'fallback_value');
}

function fill(text: string, { texts, byName }: Parameters): string {
  return text.replaceAll(parameterPattern, (placeholder, parameter: string) => {
    const value = isNamed(parameter) ? byName.get(parameter) : texts[Number(parameter) - 1];
    return value ?? placeholder;
  });
}
