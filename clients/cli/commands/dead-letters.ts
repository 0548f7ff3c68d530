/** `skein dead-letters`: work that the service gave up for good. For those who operate the service. */
import type { SystemDeadLetter } from '../../sdk/index.ts';
import { defineCommand, defineList, option, type Family } from '../command.ts';
import { CliError, exitCodes } from '../failures.ts';

export const deadLetters: Family = {
  name: 'dead-letters',
  description: 'work that the service gave up: list, run again, delete; for its operators',
  commands: [
    defineList<SystemDeadLetter>({
      usage: 'list',
      description: 'the newest first',
      columns: [
        { title: 'ID', value: letter => letter.deadLetterId },
        { title: 'GIVEN UP', value: letter => letter.createdAt },
        { title: 'KIND', value: letter => letter.kind },
        { title: 'ACTOR', value: letter => letter.actorId },
        { title: 'NAME', value: letter => letter.name },
        { title: 'ERROR', value: letter => letter.errorCode, isFlexible: true },
        { title: 'ATTEMPTS', value: letter => letter.attempts },
      ],
      list: skein => skein.system.listDeadLetters(),
      needsSignIn: true,
    }),
    defineCommand<{ readonly all?: boolean }>({
      usage: 'run [deadLetterIds...]',
      description: 'run them again, within seconds',
      options: [option('--all', 'all of them, the newest first')],
      async run(context, ids, { all = false }) {
        if (all === ids.length > 0)
          throw new CliError('Name the dead letters, or say --all.', exitCodes.usage);
        const skein = await context.connectSignedIn();
        const wanted = all ? [] : [...ids];
        if (all)
          for await (const { deadLetterId } of skein.system.listDeadLetters()) wanted.push(deadLetterId);
        for (const id of wanted) await skein.system.runDeadLetter(id);
        context.output.say(`Running ${wanted.length} again.`);
      },
    }),
    defineCommand({
      usage: 'delete <deadLetterId>',
      description: 'forget it, without running it',
      async run(context, [deadLetterId = '']) {
        await (await context.connectSignedIn()).system.deleteDeadLetter(deadLetterId);
        context.output.say(`Deleted ${deadLetterId}.`);
      },
    }),
  ],
};
