"""BibTeX of hoplab and of the papers that a report concerns."""

from __future__ import annotations

from importlib import metadata

_PAPERS = {
    "muzha": """@inproceedings{lien-muzha,
  author = {Lien, Yao-Nan and Hsiao, Ho-Cheng},
  title = {A New {TCP} Congestion Control Mechanism over Wireless Ad Hoc Networks by Router-Assisted Approach},
  note = {Department of Computer Science, National Chengchi University; the copy used bears no year}
}""",
    "winf": """@article{barreto2015,
  author = {Barreto, Lu{\\'i}s},
  title = {{XCP-Winf} and {RCP-Winf}: Improving Explicit Wireless Congestion Control},
  year = {2015}
}""",
    "split-tcp": """@inproceedings{kopparty-split-tcp,
  author = {Kopparty, Swastik and Krishnamurthy, Srikanth V. and Faloutsos, Michalis and Tripathi, Satish K.},
  title = {Split {TCP} for Mobile Ad Hoc Networks},
  booktitle = {IEEE GLOBECOM},
  year = {2002}
}""",
    "linux-over-hops": """@misc{linux,
  author = {{The Linux kernel developers}},
  title = {Linux 6.12},
  year = {2024},
  url = {https://docs.kernel.org/6.12/}
}""",
    "ho2014": """@article{ho-mesh,
  author = {Ho, Ivan Wang-Hei and Lam, Patrick P. and Chong, Peter Han Joo and Liew, Soung Chang},
  title = {Harnessing the High Bandwidth of Multiradio Multichannel 802.11n Mesh Networks},
  journal = {IEEE Transactions on Mobile Computing},
  volume = {13},
  number = {2},
  pages = {448--456},
  year = {2014}
}""",
    "semi-tcp": """@article{cai-semi-tcp,
  author = {Cai, Yegui and Jiang, Shengming and Guan, Quansheng and Yu, F. Richard},
  title = {Decoupling congestion control from {TCP} (semi-{TCP}) for multi-hop wireless networks},
  journal = {EURASIP Journal on Wireless Communications and Networking},
  year = {2013}
}""",
    "variants": """@inproceedings{shivaranjani-variants,
  author = {Shivaranjani, M. and Kameswaran, A.},
  title = {Performance Analysis of {TCP} in Wireless Multi-hop Environment},
  note = {the copy used bears no year}
}""",
}


def bibtex(*papers: str) -> str:
    """Entries of hoplab and of each paper named."""
    hoplab = f"""@software{{hoplab,
  title = {{hoplab: a laboratory for transport protocols over multi-hop 802.11}},
  version = {{{metadata.version("hoplab")}}},
  license = {{Apache-2.0}}
}}"""
    return "\n\n".join([hoplab, *(_PAPERS[paper] for paper in papers)])
