import { IconPlugConnectedX } from '@tabler/icons-react';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { Scrollable } from './Scrollable.tsx';
import styles from './NotSetUp.module.css';

const EXAMPLE = 'AI_BASE_URL=http://127.0.0.1:11434/v1\nAI_MODEL=llama3.2';

/** In the answers' place where the server has no AI to ask. */
export function NotSetUp() {
  return (
    <section className={styles['box']} aria-label="Not set up">
      <EmptyState
        icon={IconPlugConnectedX}
        text="No AI is set up on this server. It asks any OpenAI-compatible server, such as Ollama or llama.cpp."
      >
        <Scrollable as="pre" label="Example">
          {EXAMPLE}
        </Scrollable>
        <p className={styles['how']}>
          Its operator sets these two (and AI_API_KEY, where the AI server wants a key) and starts the server again. See
          docs/ai.md for more.
        </p>
      </EmptyState>
    </section>
  );
}
