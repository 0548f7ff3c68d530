/** What the keyboard does. */
import { Kbd, Modal, Table } from '@mantine/core';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
import { useModifierKey } from '../../kit/modifier-key.ts';

/** `mod`: as the keyboard has it. */
const keys = [
  [['J'], 'next'],
  [['K'], 'previous'],
  [['X'], 'select'],
  [['⇧', 'X'], 'range'],
  [['F'], 'filter'],
  [['Esc'], 'leave'],
  [['A'], 'assign'],
  [['I'], 'assignTo'],
  [['E'], 'close'],
  [['⇧', 'E'], 'archive'],
  [['S'], 'snooze'],
  [['L'], 'tag'],
  [['M'], 'mode'],
  [['D'], 'details'],
  [['R'], 'reply'],
  [['N'], 'note'],
  [['/'], 'canned'],
  [['mod', '↵'], 'send'],
  [['Y'], 'approve'],
  [['W'], 'edit'],
  [['Q'], 'discard'],
  [['T'], 'takeOver'],
  [['P'], 'allow'],
  [['⇧', 'P'], 'refuse'],
  [['mod', 'K'], 'search'],
  [['?'], 'help'],
] as const;

export default function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts().shell.shortcuts;
  const { close } = useKitTexts().shell;
  const modifierKey = useModifierKey();
  return (
    <Modal opened onClose={onClose} title={texts.title} size="sm" closeButtonProps={{ 'aria-label': close }}>
      <Table withRowBorders={false}>
        <Table.Tbody>
          {keys.map(([combination, name]) => (
            <Table.Tr key={name}>
              <Table.Td>{texts.of[name]}</Table.Td>
              <Table.Td ta="right">
                {combination.map(key => (
                  <Kbd key={key} ml={4}>
                    {key === 'mod' ? modifierKey : key}
                  </Kbd>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
