export default function PairPage() {
  return <p>PairPage</p>;
}
