// @ts-check
/**
 * A small model that runs here: no key, no network, no cost. It speaks the wire formats of all three providers, says back politely what it was
 * told, calls a tool whose name is in the question, and hands over to a person who is asked for. The same question always has the same
 * answer, which it writes piece by piece.
 *
 *   npm run demo:models
 *
 * It prints the variables to start Skein with. Replace `answer` to try an agent with answers of your own. Node 18 or newer; no other dependency.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const { HOST: host = '127.0.0.1', PORT: port = '9003' } = process.env;

const maxBodyBytes = 16_777_216;
/** As a model writes: so many characters at once, and so many milliseconds between them. */
const pieceLength = 12;
const pieceEveryMs = 20;
/** Skein's own tool, by which a model asks for a human. */
const handoff = 'request_human';

/** @typedef {{ type?: string, enum?: unknown[] }} Property */
/** @typedef {{ properties?: Record<string, Property>, required?: string[] }} Schema JSON Schema of a tool's arguments */
/** @typedef {{ name: string, schema: Schema }} Tool */
/** @typedef {{ question: string, found: string | undefined, tools: Tool[] }} Request `found`: what a tool has said, where one was just called */
/** @typedef {{ text: string } | { tool: string, input: object }} Answer */

/**
 * The words of a text or of a tool's name, in lower case: `refund_order` and `refundOrder` have two.
 *
 * @param {string} text
 */
function wordsIn(text) {
  const separate = text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return separate.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * A tool fits when every word of its name begins a word of the question.
 *
 * @param {Tool[]} tools
 * @param {string} question
 */
function findTool(tools, question) {
  const asked = wordsIn(question);
  return tools.find(({ name }) => wordsIn(name).every(part => asked.some(word => word.startsWith(part))));
}

/**
 * What the question has for an argument: the word with a digit in it, such as A17, where there is one.
 *
 * @param {Property} property
 * @param {string} question
 */
function chooseArgument({ type, enum: choices }, question) {
  if (choices !== undefined) return choices.find(choice => question.includes(String(choice))) ?? choices[0];
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  if (type === 'object') return {};
  if (type === 'number' || type === 'integer') return Number(/\d+/.exec(question)?.[0] ?? 0);
  return /[\w-]*\d[\w-]*/.exec(question)?.[0] ?? question;
}

/**
 * @param {Tool} tool
 * @param {string} question
 */
function chooseArguments({ name, schema: { properties = {}, required = [] } }, question) {
  if (name === handoff) return { reason: `They wrote: ${question}` };
  return Object.fromEntries(required.map(each => [each, chooseArgument(properties[each] ?? {}, question)]));
}

/**
 * The model.
 *
 * @param {Request} request
 * @returns {Answer}
 */
function answer({ question, found, tools }) {
  if (found !== undefined) return { text: `This is what I found: ${found}` };
  const wanted = /\bhuman\b|\breal person\b/i.test(question)
    ? tools.find(({ name }) => name === handoff)
    : findTool(tools, question);
  if (wanted !== undefined) return { tool: wanted.name, input: chooseArguments(wanted, question) };
  return {
    text: `Thank you for your message. You wrote: “${question}”. I am a local model for trying things out.`,
  };
}

/** @typedef {{ type?: string, text?: string, content?: unknown, functionResponse?: { response?: unknown } }} Part */
/** @typedef {{ role?: string, content?: string | Part[], parts?: Part[] }} Message */

/**
 * The text of a message's parts, or of a result's.
 *
 * @param {unknown} parts
 */
function toText(parts) {
  if (!Array.isArray(parts)) return typeof parts === 'string' ? parts : JSON.stringify(parts);
  return parts.map((/** @type {Part} */ { text = '' }) => text).join('');
}

/** What the newest message of the person says. @param {Message[]} messages */
function findQuestion(messages) {
  const texts = messages
    .filter(({ role }) => role === 'user')
    .map(({ content, parts }) => toText(content ?? parts));
  return (texts.filter(text => text !== '').at(-1) ?? '').trim();
}

/** Some four characters are a token. @param {unknown} value */
function countTokens(value) {
  return Math.ceil(JSON.stringify(value).length / 4);
}

/** @param {string} text */
function toPieces(text) {
  return text.match(new RegExp(`[^]{1,${pieceLength}}`, 'gu')) ?? [];
}

/**
 * A wire format: which requests have it, how they are read, and the frames of an answer, each an event of a stream of server-sent events.
 *
 * @typedef {{
 *   path: RegExp,
 *   read: (body: any) => Request,
 *   write: (answer: Answer, tokens: { input: number, output: number }) => object[],
 *   last?: string,
 * }} Format
 */

/** @type {Format} https://platform.openai.com/docs/api-reference/chat */
const openAi = {
  path: /^\/v1\/chat\/completions$/,
  read({ messages, tools = [] }) {
    const last = messages.at(-1);
    return {
      question: findQuestion(messages),
      found: last?.role === 'tool' ? toText(last.content) : undefined,
      tools: tools.map((/** @type {any} */ { function: { name, parameters } }) => ({
        name,
        schema: parameters ?? {},
      })),
    };
  },
  write(given, { input, output }) {
    const about = {
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'local',
    };
    const chunk = (/** @type {object} */ delta, /** @type {string | null} */ finish = null) => ({
      ...about,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
    if ('text' in given) {
      const pieces = toPieces(given.text).map(content => chunk({ role: 'assistant', content }));
      return [...pieces, chunk({}, 'stop'), { ...about, choices: [], usage }];
    }
    const call = { name: given.tool, arguments: JSON.stringify(given.input) };
    const tool_calls = [{ index: 0, id: `call_${randomUUID()}`, type: 'function', function: call }];
    return [
      chunk({ role: 'assistant', tool_calls }),
      chunk({}, 'tool_calls'),
      { ...about, choices: [], usage },
    ];
  },
  last: '[DONE]',
};

/** @type {Format} https://docs.anthropic.com/en/api/messages-streaming */
const anthropic = {
  path: /^\/v1\/messages$/,
  read({ messages, tools = [] }) {
    const { content } = messages.at(-1) ?? {};
    const result = Array.isArray(content) ? content.find(({ type }) => type === 'tool_result') : undefined;
    return {
      question: findQuestion(messages),
      found: result === undefined ? undefined : toText(result.content),
      tools: tools.map((/** @type {any} */ { name, input_schema }) => ({ name, schema: input_schema ?? {} })),
    };
  },
  write(given, { input, output }) {
    const isCall = 'tool' in given;
    const block = isCall
      ? { type: 'tool_use', id: `toolu_${randomUUID()}`, name: given.tool, input: {} }
      : { type: 'text', text: '' };
    const deltas = isCall
      ? [{ type: 'input_json_delta', partial_json: JSON.stringify(given.input) }]
      : toPieces(given.text).map(text => ({ type: 'text_delta', text }));
    const ended = { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null };
    const message = {
      id: `msg_${randomUUID()}`,
      type: 'message',
      role: 'assistant',
      model: 'local',
      content: [],
    };
    const usage = { input_tokens: input, output_tokens: 0 };
    return [
      { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } },
      { type: 'content_block_start', index: 0, content_block: block },
      ...deltas.map(delta => ({ type: 'content_block_delta', index: 0, delta })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: ended, usage: { output_tokens: output } },
      { type: 'message_stop' },
    ];
  },
};

/** @type {Format} https://ai.google.dev/api/generate-content */
const google = {
  path: /^\/v1beta\/models\/[^/]+:streamGenerateContent$/,
  read({ contents, tools = [] }) {
    const result = contents
      .at(-1)
      ?.parts.find((/** @type {Part} */ part) => part.functionResponse !== undefined);
    const declared = tools.flatMap(
      (/** @type {any} */ { functionDeclarations = [] }) => functionDeclarations,
    );
    return {
      question: findQuestion(contents),
      found: result === undefined ? undefined : toText(result.functionResponse.response),
      tools: declared.map((/** @type {any} */ { name, parametersJsonSchema, parameters }) => ({
        name,
        schema: parametersJsonSchema ?? parameters ?? {},
      })),
    };
  },
  write(given, { input, output }) {
    const parts =
      'text' in given
        ? toPieces(given.text).map(text => ({ text }))
        : [{ functionCall: { name: given.tool, args: given.input } }];
    const usageMetadata = {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    };
    return parts.map((part, at) => ({
      candidates: [
        {
          content: { role: 'model', parts: [part] },
          index: 0,
          ...(at === parts.length - 1 && { finishReason: 'STOP' }),
        },
      ],
      usageMetadata,
    }));
  },
};

const formats = [openAi, anthropic, google];

/** @param {import('node:http').IncomingMessage} request */
async function readBody(request) {
  const chunks = [];
  let room = maxBodyBytes;
  for await (const chunk of request) {
    room -= chunk.length;
    if (room < 0) throw new Error('The request is too long.');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function serve(request, response) {
  const path = String(request.url).split('?')[0] ?? '';
  const format = formats.find(each => each.path.test(path));
  if (request.method !== 'POST' || format === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `This model has no ${request.method} ${path}.` } }));
    return;
  }
  const body = await readBody(request);
  const given = answer(format.read(body));
  const frames = format.write(given, { input: countTokens(body), output: countTokens(given) });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const frame of frames) {
    if ('type' in frame) response.write(`event: ${frame.type}\n`);
    response.write(`data: ${JSON.stringify(frame)}\n\n`);
    await pause(pieceEveryMs);
  }
  response.end(format.last === undefined ? '' : `data: ${format.last}\n\n`);
}

const server = createServer((request, response) => {
  serve(request, response).catch((/** @type {Error} */ error) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: error.message } }));
  });
});
server.listen(Number(port), host, () => {
  const address = server.address();
  const url = `http://${host}:${typeof address === 'object' ? address?.port : port}`;
  console.log(`listening on ${url}

In the terminal that starts Skein, before npm start:

  export LLM_PROVIDER_1_URL=${url}/v1
  export LLM_PROVIDER_2_URL=${url}/v1
  export LLM_PROVIDER_3_URL=${url}/v1beta

In the terminal that follows docs/guide/agents.md, where any text of 8 characters is a key:

  export OPENAI_KEY=no-key-needed
`);
});
