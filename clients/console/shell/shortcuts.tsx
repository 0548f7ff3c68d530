/** What the keyboard does. */
import { Kbd, Modal, Table } from '@mantine/core';
import { useTexts } from '../texts/index.ts';

const keys = [
  [['J'], 'next'],
  [['K'], 'previous'],
  [['X'], 'select'],
  [['Esc'], 'leave'],
  [['A'], 'assign'],
  [['E'], 'close'],
  [['D'], 'details'],
  [['R'], 'reply'],
  [['N'], 'note'],
  [['/'], 'canned'],
  [['Ctrl', '↵'], 'send'],
  [['Ctrl', 'K'], 'search'],
  [['?'], 'help'],
] as const;

export default function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  const { shell, thread } = useTexts();
  const texts = shell.shortcuts;
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.title}
      size="sm"
      closeButtonProps={{ 'aria-label': thread.files.close }}
    >
      <Table withRowBorders={false}>
        <Table.Tbody>
          {keys.map(([combination, name]) => (
            <Table.Tr key={name}>
              <Table.Td>{texts.of[name]}</Table.Td>
              <Table.Td ta="right">
                {combination.map(key => (
                  <Kbd key={key} ml={4}>
                    {key}
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
