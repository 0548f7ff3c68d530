/** `skein openapi`: the contract as the server has it. A copy in this package would be of another version, sooner or later. */
import { defineCommand } from '../command.ts';

export const openapi = defineCommand({
  usage: 'openapi',
  description: "the server's OpenAPI document",
  async run(context) {
    const { baseUrl } = await context.getCredential();
    context.output.json(await context.connectAnonymously(baseUrl).contract.get(), true);
  },
});
