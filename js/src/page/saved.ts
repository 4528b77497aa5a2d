/** What a saved page has in place of the menu: a PNG of the card as it stands, which needs no Python. */
import { adopt, download, keepInFoot } from "../share/foot";
import css from "../share/share.css";
import { snapshot } from "./snapshot";

/** Puts the button into a card; returns what takes it out again. */
export function saveButton(root: ShadowRoot): () => void {
  adopt(root, css);
  const box = document.createElement("span");
  const button = document.createElement("button");
  const says = document.createElement("p");
  box.className = "save";
  button.type = "button";
  button.textContent = "PNG";
  button.title = "save the card as it stands";
  says.setAttribute("role", "alert");
  box.append(button, says);
  button.addEventListener("click", async () => {
    says.textContent = "";
    try {
      const name = root.querySelector(".card")?.getAttribute("aria-label") ?? "picture";
      download(`${name.replace(/[^\w.-]+/g, "-")}.png`, await snapshot(root));
    } catch (error) {
      says.textContent = `This browser saves no picture of a card. ${error instanceof Error ? error.message : error}`;
    }
  });
  return keepInFoot(root, box);
}
