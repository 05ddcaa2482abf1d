import * as z from 'zod';

const isBase = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
};

/** Where the answers come from: any server that speaks the chat completions of OpenAI. */
export const aiSettings = z
  .object({
    AI_BASE_URL: z
      .string()
      .refine(isBase, 'must be an address such as http://127.0.0.1:11434/v1')
      .optional()
      .describe(
        'OpenAI-compatible server that answers on `/qai`, with its `/v1`: `http://127.0.0.1:11434/v1` for Ollama (docs/ai.md).',
      ),
    AI_MODEL: z.string().optional().describe('Name of the model to ask, as that server knows it.'),
    AI_API_KEY: z
      .string()
      .refine((text) => /^[\u0021-\u007e]+$/.test(text), 'must be one word of plain characters')
      .optional()
      .meta({ isSecret: true })
      .describe('Key for that server, where it wants one.'),
  })
  .superRefine(({ AI_BASE_URL, AI_MODEL }, context) => {
    const set = [AI_BASE_URL, AI_MODEL];
    if (set.every((one) => one === undefined) || set.every((one) => one !== undefined)) return;
    const missing = AI_MODEL === undefined ? 'AI_MODEL' : 'AI_BASE_URL';
    const other = AI_MODEL === undefined ? 'AI_BASE_URL' : 'AI_MODEL';
    context.addIssue({ code: 'custom', path: [missing], message: `must be set where ${other} is` });
  });

export interface AiServer {
  readonly baseURL: string;
  readonly model: string;
  readonly key: string | undefined;
}

/** The AI server to ask; undefined where none is set. */
export const aiServerOf = (environment: Readonly<Record<string, string>>): AiServer | undefined => {
  const { AI_BASE_URL, AI_MODEL, AI_API_KEY } = aiSettings.parse(environment);
  if (AI_BASE_URL === undefined || AI_MODEL === undefined) return undefined;
  return { baseURL: AI_BASE_URL, model: AI_MODEL, key: AI_API_KEY };
};
