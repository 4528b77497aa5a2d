/** What a program's collectives carry over the links between chips. */
import { Boards, Legend } from "../../links/public";
import type { LinksPage } from "./page";

export function LinksView({ page }: { page: LinksPage }) {
  const { board } = page;
  if (!board.shown()) {
    return (
      <p class="note" role="status">
        {page.trouble()}
      </p>
    );
  }
  return (
    <div class="links">
      <Boards board={board} select={(order) => page.select(order)} />
      <div class="key">
        <Legend board={board} />
      </div>
    </div>
  );
}
